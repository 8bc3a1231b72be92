package io.statestore.broker.mqtt;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.JavaProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** Stored sessions after {@code kill -9} of the broker's process. */
@Tag("long")
@Tag("nightly")
class KilledSessionsTests extends StoredSessionsTest {

	private @Nullable JavaProcess process;

	@Override
	int start(StorageOptions storage) {
		this.process = MqttBrokerProcess.start(storage, 0);
		return MqttBrokerProcess.port(this.process);
	}

	@Override
	void stop() {
		if (this.process != null) {
			this.process.kill();
		}
	}

}
