package io.statestore.broker.mqtt;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.JavaProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** QoS 2 messages during {@code kill -9} of the broker's process. */
@Tag("long")
class KilledExactlyOnceTests extends ExactlyOnceTest {

	private @Nullable JavaProcess process;

	@Override
	int start(StorageOptions storage) {
		this.process = MqttBrokerProcess.start(storage, 0);
		return MqttBrokerProcess.port(this.process);
	}

	@Override
	synchronized void stop() {
		if (this.process != null) {
			this.process.kill();
		}
	}

	@Override
	int rounds() {
		return 5;
	}

	@Override
	int messagesPerRound() {
		return 100;
	}

}
