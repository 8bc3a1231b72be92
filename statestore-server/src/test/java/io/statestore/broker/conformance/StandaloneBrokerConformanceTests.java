package io.statestore.broker.conformance;

/** The standalone broker in its own process. */
class StandaloneBrokerConformanceTests extends StateStoreConformance {

	@Override
	TestedServer start() {
		StandaloneProcess process = StandaloneProcess.start("--port", "0");
		return new TestedServer() {

			@Override
			public int port() {
				return process.port();
			}

			@Override
			public void close() {
				process.close();
			}

		};
	}

}
