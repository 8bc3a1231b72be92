package io.statestore.broker.conformance;

import org.junit.jupiter.api.Tag;

/** Tests the standalone broker in a separate process. */
@Tag("long")
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
