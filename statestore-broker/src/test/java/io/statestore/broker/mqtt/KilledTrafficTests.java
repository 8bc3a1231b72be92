package io.statestore.broker.mqtt;

import java.nio.file.Path;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.JavaProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Traffic during {@code kill -9} of the broker's process. The number of kills can be set,
 * for example with {@code -Dsession.kills=100}.
 */
class KilledTrafficTests extends TrafficTest {

	@TempDir
	Path directory;

	private @Nullable JavaProcess process;

	@Override
	int start() {
		// The operating system keeps written data when a process ends.
		Fsync fsync = Fsync.values()[this.random.nextInt(Fsync.values().length)];
		this.process = MqttBrokerProcess.start(StorageOptions.in(this.directory).withFsync(fsync), 0);
		return MqttBrokerProcess.port(this.process);
	}

	@Override
	void end() {
		if (this.process != null) {
			this.process.kill();
		}
	}

	@Override
	int rounds() {
		return Integer.getInteger("session.kills", 3);
	}

}
