package io.statestore.broker.conformance;

import io.statestore.broker.StateStoreBroker;

/** The broker in this JVM. */
class EmbeddedBrokerConformanceTests extends StateStoreConformance {

	@Override
	StateStoreHome start() {
		StateStoreBroker broker = StateStoreBroker.builder().start();
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

}
