package io.statestore.broker.conformance;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;

/** The embedded broker. */
class EmbeddedBrokerConformanceTests extends StateStoreConformance {

	@Override
	TestedServer start() {
		StateStoreBroker broker = builder().start();
		return new TestedServer() {

			@Override
			public int port() {
				return broker.port();
			}

			@Override
			public void close() {
				broker.close();
			}

		};
	}

	StateStoreBrokerBuilder builder() {
		return StateStoreBroker.builder();
	}

}
