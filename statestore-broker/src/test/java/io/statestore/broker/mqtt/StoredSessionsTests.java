package io.statestore.broker.mqtt;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;

/** Stored sessions after a stop of the broker in this process. */
class StoredSessionsTests extends StoredSessionsTest {

	private @Nullable MqttBroker broker;

	@Override
	int start(StorageOptions storage) {
		this.broker = MqttBroker.start(new MqttBrokerSettings("localhost", 0, 1_000_000).withStorage(storage),
				new EchoServer(), MemoryBudget.unlimited());
		return this.broker.port();
	}

	@Override
	void stop() {
		if (this.broker != null) {
			this.broker.close();
		}
	}

}
