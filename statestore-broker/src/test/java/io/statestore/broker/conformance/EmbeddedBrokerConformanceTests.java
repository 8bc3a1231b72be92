package io.statestore.broker.conformance;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.protocol.ProtocolDialect;

/** The embedded broker. */
class EmbeddedBrokerConformanceTests extends StateStoreConformance {

	@Override
	TestedServer start() {
		StateStoreBroker broker = builder().protocolDialect(protocolDialect()).start();
		return new TestedServer() {

			@Override
			public int port() {
				return broker.port();
			}

			@Override
			public ProtocolDialect protocolDialect() {
				return EmbeddedBrokerConformanceTests.this.protocolDialect();
			}

			@Override
			public void close() {
				broker.close();
			}

		};
	}

	ProtocolDialect protocolDialect() {
		return ProtocolDialect.CLIENTS;
	}

	StateStoreBrokerBuilder builder() {
		return StateStoreBroker.builder();
	}

}
