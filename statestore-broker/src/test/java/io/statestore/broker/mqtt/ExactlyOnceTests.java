package io.statestore.broker.mqtt;

import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;

/** QoS 2 messages while the broker restarts. */
class ExactlyOnceTests extends ExactlyOnceTest {

	private @Nullable DurableBroker broker;

	@Override
	int start(StorageOptions storage) {
		this.broker = DurableBroker.in(storage.directory()).with(storage).start();
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
