package io.statestore.broker.conformance;

/** The broker in a process of its own, started as a user would. */
class StandaloneBrokerConformanceTests extends StateStoreConformance {

	@Override
	StateStoreHome start() {
		StandaloneProcess process = StandaloneProcess.start("--port", "0");
		return new StateStoreHome() {

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
