package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * An exception in the state machine of a single node. Two keys expire in the same entry,
 * but only one version is left.
 */
class MachineFailureTests {

	static final Version LAST_BUT_ONE = new Version(999_999_999_999_999L, Integer.MAX_VALUE - 1, "StateStore");

	private final AtomicLong nanos = new AtomicLong();

	private final ManualScheduler scheduler = new ManualScheduler(this.nanos::get);

	private StateStoreServerOptions options = StateStoreServerOptions.defaults()
		.withNanoClock(this.nanos::get)
		.withScheduler(this.scheduler);

	@Test
	void stopsInMemoryStoreWithoutPartialEffect() {
		try (StateStoreServer server = new StateStoreServer(this.options)) {
			failsWithoutPartialEffect(server);
		}
	}

	@Test
	void stopsStoreWithDirectoryWithoutPartialEffect(@TempDir Path directory) {
		this.options = this.options.withStorage(StorageOptions.in(directory));
		try (StateStoreServer server = new StateStoreServer(this.options)) {
			failsWithoutPartialEffect(server);
		}
		assertThatThrownBy(() -> new StateStoreServer(this.options)).isInstanceOf(AssertionError.class)
			.hasMessageContaining("report it");
	}

	private void failsWithoutPartialEffect(StateStoreServer server) {
		RecordingConnection client = RecordingConnection.to(server, "client");
		for (String key : new String[] { "a", "b" }) {
			client.call(new Command.KeyNotify(Bytes.of(key)));
			set(client, key);
		}
		server.startAfter(LAST_BUT_ONE);
		this.nanos.addAndGet(Duration.ofSeconds(2).toNanos());
		this.scheduler.runDue();
		assertThat(server.failure()).succeedsWithin(10, TimeUnit.SECONDS);
		server.request(client.draft(new Command.Get(Bytes.of("a"))).toRequest());
		assertThat(client.takeEvents()).as("events after the failure").isEmpty();
	}

	private static void set(RecordingConnection client, String key) {
		assertThat(client.exchange(client
			.draft(new Command.Set(Bytes.of(key), Bytes.of("v"), Command.Condition.ALWAYS, Duration.ofSeconds(1)))))
			.hasSize(3);
	}

}
