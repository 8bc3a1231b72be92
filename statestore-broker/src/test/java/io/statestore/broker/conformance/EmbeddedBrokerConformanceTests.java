package io.statestore.broker.conformance;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;

/** The broker in this JVM. */
class EmbeddedBrokerConformanceTests extends StateStoreConformance {

	@Override
	StateStoreHome start() {
		StateStoreBroker broker = builder().start();
		return new StateStoreHome() {

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
