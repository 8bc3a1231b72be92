package io.statestore.testing.boot;

import io.statestore.boot.StateStoreConnectionDetails;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;

/** Factory methods for the beans of {@link EmbeddedStateStore}. */
final class EmbeddedStateStoreBeans {

	private EmbeddedStateStoreBeans() {
	}

	static TestBroker broker(boolean wireFaults) {
		TestBroker.Builder builder = TestBroker.builder();
		return (wireFaults ? builder.wireFaults() : builder).start();
	}

	static StateStoreFaults faults(TestBroker broker) {
		return broker.faults();
	}

	static EmbeddedContent content(TestBroker broker) {
		return new EmbeddedContent(broker);
	}

	static StateStoreConnectionDetails connectionDetails(TestBroker broker) {
		return new BrokerDetails(broker.host(), broker.port());
	}

	private record BrokerDetails(String host, int port) implements StateStoreConnectionDetails {

		@Override
		public String getHost() {
			return this.host;
		}

		@Override
		public int getPort() {
			return this.port;
		}

	}

}
