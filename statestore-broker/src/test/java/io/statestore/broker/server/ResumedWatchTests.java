package io.statestore.broker.server;

import java.nio.file.Path;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Watches and versions from an earlier server. */
@ParameterizedClass
@EnumSource(TestStorage.class)
class ResumedWatchTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Command SET = new Command.Set(KEY, Bytes.of("v"));

	@AutoClose
	private final StateStoreServer server;

	private final RecordingConnection writer;

	private final RecordingConnection watcher;

	ResumedWatchTests(TestStorage storage, @TempDir Path directory) {
		this.server = storage.start(directory);
		this.writer = RecordingConnection.to(this.server, "writer");
		this.watcher = RecordingConnection.to(this.server, "watcher");
	}

	private Received notification() {
		return new Received((OutgoingMessage) this.watcher.take());
	}

	@Test
	void notifiesMissingKeyDeletionThenChanges() {
		this.server.resume(this.watcher, KEY);
		Received deletion = notification();
		assertThat(deletion.notification()).isEqualTo(new Notification.Delete());
		Version version = this.writer.call(SET).version();
		assertThat(version).isGreaterThan(deletion.version());
		assertThat(notification().version()).isEqualTo(version);
	}

	@Test
	void notifiesCurrentValue() {
		Version version = this.writer.call(SET).version();
		this.server.resume(this.watcher, KEY);
		Received present = notification();
		assertThat(present.notification()).isEqualTo(new Notification.Set(Bytes.of("v")));
		assertThat(present.version()).isEqualTo(version);
	}

	@Test
	void leavesNewWatchUnchanged() {
		this.watcher.call(new Command.KeyNotify(KEY));
		this.server.resume(this.watcher, KEY);
		assertThat(this.watcher.takeEvents()).isEmpty();
	}

	@Test
	void endsWatchWhenOutOfMemory() {
		RecordingConnection poor = new RecordingConnection(this.server, "watcher", new MemoryBudget(1, 1).open());
		this.server.connected(poor);
		this.server.resume(poor, KEY);
		this.writer.call(SET);
		assertThat(poor.takeEvents()).isEmpty();
		assertThat(poor.endedWatches).containsExactly(KEY);
	}

	@Test
	void continuesAfterEarlierVersions() {
		Version last = new Version(System.currentTimeMillis() + 60_000, 7, "StateStore");
		this.server.startAfter(last);
		assertThat(this.writer.call(SET).version()).isGreaterThan(last);
	}

	@Test
	void ignoresEarlierVersionsBehindItsClock() {
		long start = System.currentTimeMillis();
		this.server.startAfter(new Version(start - 60_000, 7, "StateStore"));
		assertThat(this.writer.call(SET).version().wallMillis()).isGreaterThanOrEqualTo(start);
	}

}
