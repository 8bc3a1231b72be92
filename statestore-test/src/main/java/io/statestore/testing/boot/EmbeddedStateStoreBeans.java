package io.statestore.testing.boot;

import io.statestore.boot.StateStoreConnectionDetails;
import io.statestore.client.ClientResources;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;

import org.springframework.beans.factory.ObjectProvider;

/** Factory methods for the beans of {@link EmbeddedStateStore}. */
final class EmbeddedStateStoreBeans {

	private EmbeddedStateStoreBeans() {
	}

	static TestBroker broker(boolean wireFaults, ObjectProvider<TestTime> time) {
		TestBroker.Builder builder = TestBroker.builder();
		if (wireFaults) {
			builder.wireFaults();
		}
		time.ifAvailable(builder::time);
		return builder.start();
	}

	static TestTime time() {
		return new TestTime();
	}

	static ClientResources resources(TestTime time) {
		return time.clientResources();
	}

	static EndOfControlledTime end(TestTime time, StateStoreFaults faults) {
		return new EndOfControlledTime(time, faults);
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
