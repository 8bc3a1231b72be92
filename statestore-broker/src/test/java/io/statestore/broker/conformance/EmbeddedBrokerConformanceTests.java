package io.statestore.broker.conformance;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.protocol.WireForm;

/** The embedded broker. */
class EmbeddedBrokerConformanceTests extends StateStoreConformance {

	@Override
	TestedServer start() {
		StateStoreBroker broker = builder().wireForm(wireForm()).start();
		return new TestedServer() {

			@Override
			public int port() {
				return broker.port();
			}

			@Override
			public WireForm wireForm() {
				return EmbeddedBrokerConformanceTests.this.wireForm();
			}

			@Override
			public void close() {
				broker.close();
			}

		};
	}

	WireForm wireForm() {
		return WireForm.PRACTICE;
	}

	StateStoreBrokerBuilder builder() {
		return StateStoreBroker.builder();
	}

}
