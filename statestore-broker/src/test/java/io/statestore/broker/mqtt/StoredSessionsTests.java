package io.statestore.broker.mqtt;

import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;

/** Stored sessions after the broker was stopped in this process. */
class StoredSessionsTests extends StoredSessionsTest {

	private @Nullable DurableBroker broker;

	@Override
	int start(StorageOptions storage) {
		this.broker = DurableBroker.in(storage.directory()).with(storage).start();
		return this.broker.port();
	}

	@Override
	void stop() {
		if (this.broker != null) {
			this.broker.close();
		}
	}

}
