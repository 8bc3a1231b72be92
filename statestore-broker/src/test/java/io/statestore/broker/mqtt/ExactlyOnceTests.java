package io.statestore.broker.mqtt;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;

/** QoS 2 messages while the broker restarts. */
class ExactlyOnceTests extends ExactlyOnceTest {

	private @Nullable MqttBroker broker;

	@Override
	int start(StorageOptions storage) {
		this.broker = MqttBroker.start(new MqttBrokerSettings("localhost", 0, 1_000_000).withStorage(storage),
				new EchoServer(), MemoryBudget.unlimited());
		return this.broker.port();
	}

	@Override
	synchronized void stop() {
		if (this.broker != null) {
			this.broker.close();
		}
	}

	@Override
	int rounds() {
		return 3;
	}

	@Override
	int messagesPerRound() {
		return 50;
	}

}
