package io.statestore.broker.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.BackupFile;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Backups that clients read while the store is running. */
class BackupsTests {

	private static final int KEYS = 100;

	private static final long MAX_KEPT = 1 << 20;

	private final AtomicLong nanos = new AtomicLong(1_000_000_000);

	@TempDir
	private Path directory;

	private @Nullable StateStoreServer server;

	private StateStoreServer start(StateStoreServerOptions options, long minLogBytes) {
		StateStoreServer started = new StateStoreServer(options.withNanoClock(this.nanos::get),
				new ServerTuning(MAX_KEPT, LogOptions.SEGMENT_BYTES, minLogBytes, FileLog::open));
		this.server = started;
		return started;
	}

	private StateStoreServer start() {
		return start(StateStoreServerOptions.defaults(), Long.MAX_VALUE);
	}

	@AfterEach
	void stop() {
		if (this.server != null) {
			this.server.close();
		}
	}

	private static void setAll(RecordingConnection client, int value, int size) {
		for (int i = 0; i < KEYS; i++) {
			byte[] bytes = new byte[size];
			bytes[0] = (byte) value;
			client.call(new Command.Set(Bytes.of("k" + i), Bytes.wrap(bytes)));
		}
	}

	private static StateMachine machine(byte[] backup) throws IOException {
		int header = BackupFile.header(Instant.EPOCH).remaining();
		return StateMachine.restore(new ByteArrayInputStream(backup, header, backup.length - header),
				(key, value, version, author) -> {
				});
	}

	private static void assertEnded(RecordingConnection client, AdministrationPage<Bytes> page, String reason) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> TestBackups.page(client, page.token()))
			.withMessageContaining("the backup has ended, because " + reason);
	}

	private static void assertNotYet(RecordingConnection client, String reason) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> TestBackups.page(client, null))
			.withMessage("not yet: " + reason);
	}

	@Test
	void containsStateAtItsStartInBoundedPages() throws IOException {
		StateStoreServer started = start();
		RecordingConnection writer = RecordingConnection.to(started, "writer");
		RecordingConnection client = RecordingConnection.to(started, "client");
		setAll(writer, 1, 5_000);
		writer.call(new Command.Set(Bytes.of("large"), Bytes.wrap(new byte[1_000_000])));
		AdministrationPage<Bytes> first = TestBackups.page(client, null);
		setAll(writer, 2, 5_000);
		AdministrationPage<Bytes> second = TestBackups.page(client, first.token());
		assertThat(second.items().get(0).length()).isLessThanOrEqualTo(256 << 10);
		writer.call(new Command.Set(Bytes.of("later"), Bytes.of("v")));
		byte[] rest = TestBackups.rest(client, TestBackups.page(client, second.token()));
		byte[] all = new byte[first.items().get(0).length() + second.items().get(0).length() + rest.length];
		first.items().get(0).copyTo(all, 0);
		second.items().get(0).copyTo(all, first.items().get(0).length());
		System.arraycopy(rest, 0, all, all.length - rest.length, rest.length);
		Path file = Files.write(this.directory.resolve("backup"), all);
		StoreDirectory.restore(file, this.directory.resolve("restored"), null);
		assertThat(machine(all).keyCount()).isEqualTo(KEYS + 1);
		try (StateStoreServer restored = new StateStoreServer(StateStoreServerOptions.defaults()
			.withStorage(StorageOptions.in(this.directory.resolve("restored"))))) {
			RecordingConnection reader = RecordingConnection.to(restored, "reader");
			for (int i = 0; i < KEYS; i++) {
				assertThat(reader.call(new Command.Get(Bytes.of("k" + i))).reply())
					.isInstanceOfSatisfying(Reply.Value.class, (it) -> assertThat(it.value().toArray()).startsWith(1));
			}
		}
	}

	@Test
	void oneClientReadsAtATime() {
		StateStoreServer started = start();
		RecordingConnection one = RecordingConnection.to(started, "one");
		RecordingConnection other = RecordingConnection.to(started, "other");
		AdministrationPage<Bytes> page = TestBackups.page(one, null);
		assertNotYet(other, "another client reads a backup");
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> TestBackups.page(other, page.token()));
		TestBackups.rest(one, page);
		TestBackups.rest(other, TestBackups.page(other, null));
	}

	@Test
	void endsWithItsConnection() {
		StateStoreServer started = start();
		RecordingConnection one = RecordingConnection.to(started, "one");
		RecordingConnection other = RecordingConnection.to(started, "other");
		AdministrationPage<Bytes> page = TestBackups.page(one, null);
		started.disconnected(one);
		assertEnded(other, page, "its connection was closed");
		assertThat(TestBackups.page(other, null).token()).isNotNull();
	}

	@Test
	void endsIfItsNextPageIsNotRequested() {
		StateStoreServer started = start();
		RecordingConnection one = RecordingConnection.to(started, "one");
		RecordingConnection other = RecordingConnection.to(started, "other");
		AdministrationPage<Bytes> page = TestBackups.page(one, null);
		this.nanos.addAndGet(Backups.MAX_PAUSE.plus(Duration.ofSeconds(1)).toNanos());
		assertThat(TestBackups.page(other, null).token()).isNotNull();
		assertEnded(one, page, "no page was requested for 30 s");
	}

	@Test
	void endsIfItHoldsTooMuchMemory() {
		StateStoreServer started = start();
		RecordingConnection writer = RecordingConnection.to(started, "writer");
		RecordingConnection client = RecordingConnection.to(started, "client");
		setAll(writer, 1, 20_000);
		AdministrationPage<Bytes> page = TestBackups.page(client, null);
		setAll(writer, 2, 20_000);
		assertEnded(client, page, "keys change faster than the backup is read");
	}

	@Test
	void logIsShortenedAfterBackup() {
		StateStoreServer started = start(
				StateStoreServerOptions.defaults().withStorage(StorageOptions.in(this.directory.resolve("store"))),
				1_000);
		RecordingConnection writer = RecordingConnection.to(started, "writer");
		RecordingConnection client = RecordingConnection.to(started, "client");
		AdministrationPage<Bytes> page = TestBackups.page(client, null);
		setAll(writer, 1, 1_000);
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		setAll(writer, 2, 1_000);
		assertThat(started.durability().orElseThrow().snapshotIndex()).isZero();
		TestBackups.rest(client, page);
		await("a snapshot").until(() -> {
			writer.call(new Command.Set(Bytes.of("k"), Bytes.of("v")));
			return started.durability().orElseThrow().snapshotIndex() > 0;
		});
	}

	@Test
	void refusesTokenFromAnotherPage() {
		StateStoreServer started = start();
		RecordingConnection client = RecordingConnection.to(started, "client");
		AdministrationPage<Bytes> first = TestBackups.page(client, null);
		TestBackups.page(client, first.token());
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> TestBackups.page(client, first.token()));
	}

}
