package io.statestore.broker.server;

import java.io.IOError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.log.DiskFullException;
import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** A store whose disk is full or fails. */
class DiskFailureTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Command GET = new Command.Get(KEY);

	private static final Command LARGE = new Command.Set(Bytes.of("large"), Bytes.wrap(new byte[20_000]));

	private static final Reply OK = new Reply.Ok();

	private static final Reply OVER_QUOTA = new Reply.Error(ErrorReason.QUOTA_EXCEEDED);

	@AutoClose
	private final RestartableStore store = new RestartableStore();

	private RecordingConnection client = this.store.connect("client");

	private Reply call(Command command) {
		return this.client.call(command).reply();
	}

	private static Command set(Bytes value) {
		return new Command.Set(KEY, value);
	}

	private void fillDisk() {
		this.store.disk.full(true);
		await("a full disk").until(() -> call(LARGE).equals(OVER_QUOTA));
	}

	@Test
	void fullDiskRefusesWritesAndServesReads() {
		call(set(ONE));
		Draft before = this.client.draft(set(Bytes.of("2")));
		Received first = RecordingConnection.received(this.client.exchange(before));
		fillDisk();
		assertThat(call(set(Bytes.of("3")))).isEqualTo(OVER_QUOTA);
		assertThat(call(GET)).isEqualTo(new Reply.Value(Bytes.of("2")));
		assertThat(call(new Command.KeyNotify(KEY))).isEqualTo(OK);
		assertThat(this.store.server().durability().orElseThrow().writable()).isFalse();
		assertThat(RecordingConnection.received(this.client.exchange(before)).version()).isEqualTo(first.version());
		this.store.disk.full(false);
		await("recovery").until(() -> call(LARGE).equals(OK));
		assertThat(this.store.server().durability().orElseThrow().writable()).isTrue();
		this.store.kill();
		assertThat(this.store.connect("client").call(GET).reply()).isEqualTo(new Reply.Value(Bytes.of("2")));
	}

	@Test
	void answersReadsOfExpiredKeysWhileDiskIsFull() {
		call(new Command.Set(KEY, ONE, Condition.ALWAYS, Duration.ofSeconds(1)));
		fillDisk();
		this.store.pass(Duration.ofSeconds(2));
		for (int i = 0; i < 20; i++) {
			assertThat(call(GET)).isIn(new Reply.Value(ONE), new Reply.Missing());
			assertThat(call(new Command.Scan(Bytes.of("k*"), null))).isIn(new Reply.Page(List.of(KEY), null),
					new Reply.Page(List.of(), null));
		}
		this.store.disk.full(false);
		await("recovery").until(() -> call(GET).equals(new Reply.Missing()));
		assertThat(call(new Command.Scan(Bytes.of("k*"), null))).isEqualTo(new Reply.Page(List.of(), null));
		this.store.kill();
		assertThat(this.store.connect("client").call(GET).reply()).isEqualTo(new Reply.Missing());
	}

	@Test
	void startFailsOnFullDisk() {
		this.store.close();
		this.store.disk.full(true);
		this.store.storage = StorageOptions.in(Path.of("/another"));
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(this.store::server)
			.withMessageContaining("/another");
	}

	@Test
	void writeRejectedByFailedForceNeverReappears() {
		call(set(ONE));
		this.store.disk.failNextForce();
		Draft lost = this.client.draft(set(Bytes.of("lost")));
		assertThat(RecordingConnection.received(this.client.exchange(lost)).reply()).isEqualTo(OVER_QUOTA);
		assertThat(call(GET)).isEqualTo(new Reply.Value(ONE));
		this.store.cutPower();
		RecordingConnection next = this.store.connect("client");
		assertThat(next.call(GET).reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(next.call(set(Bytes.of("2"))).reply()).isEqualTo(OK);
	}

	@Test
	void servesAfterFailedForce() {
		this.store.disk.failNextForce();
		assertThat(call(set(ONE))).isEqualTo(OVER_QUOTA);
		assertThat(call(set(Bytes.of("2")))).isEqualTo(OK);
		this.store.kill();
		assertThat(this.store.connect("client").call(GET).reply()).isEqualTo(new Reply.Value(Bytes.of("2")));
	}

	@Test
	void failedLogStopsServerWithoutReply() {
		call(set(ONE));
		StateStoreServer server = this.store.server();
		this.store.disk.fail();
		server.request(this.client.draft(set(Bytes.of("2"))).toRequest());
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> server.failure().thenAccept((error) -> {
			throw error;
		}).orTimeout(10, TimeUnit.SECONDS).join()).withCauseInstanceOf(IOError.class);
		assertThat(this.client.events).isEmpty();
		assertThat(server.durability().orElseThrow().writable()).isFalse();
		this.store.kill();
		assertThat(this.store.connect("client").call(GET).reply()).isIn(new Reply.Value(ONE),
				new Reply.Value(Bytes.of("2")));
	}

	@Test
	void repetitionIsNotRefusedWhileOriginalIsWritten() {
		fillDisk();
		await("an attempt").until(() -> {
			this.store.disk.full(false);
			Hold hold = this.store.disk.holdNextForce();
			Draft draft = this.client.draft(set(ONE));
			this.store.server().request(draft.toRequest());
			RecordingConnection next = this.store.connect("client");
			this.store.server().request(draft.resentBy(next).toRequest());
			hold.release();
			Reply first = new Received((OutgoingMessage) this.client.take()).reply();
			this.client.take();
			Reply second = new Received((OutgoingMessage) next.take()).reply();
			assertThat(first.equals(OVER_QUOTA) || second.equals(first)).isTrue();
			return first.equals(OK);
		});
	}

	@Test
	void writeRefusedOnFullDiskIsRefusedAgain() {
		fillDisk();
		Draft refused = this.client.draft(LARGE);
		assertThat(RecordingConnection.received(this.client.exchange(refused)).reply()).isEqualTo(OVER_QUOTA);
		this.store.disk.full(false);
		await("recovery").until(() -> call(set(ONE)).equals(OK));
		for (String clientId : List.of("client", "another")) {
			RecordingConnection next = this.store.connect(clientId);
			Reply again = RecordingConnection.received(next.exchange(refused.resentBy(next))).reply();
			assertThat(again).isEqualTo(clientId.equals("client") ? OVER_QUOTA : OK);
		}
	}

	@Test
	void versionsExceedThoseOfEarlierServerOnFullDisk() {
		fillDisk();
		Version earlier = new Version(this.store.wallMillis.get() + Duration.ofDays(1).toMillis(), 7, "StateStore");
		this.store.server().startAfter(earlier);
		RecordingConnection watcher = this.store.connect("watcher");
		this.store.server().resume(watcher, KEY);
		assertThat(new Received((OutgoingMessage) watcher.take()).version()).isGreaterThanOrEqualTo(earlier);
		this.store.disk.full(false);
		await("recovery").until(() -> call(LARGE).equals(OK));
		assertThat(this.client.call(set(ONE)).version()).isGreaterThan(earlier);
		this.store.kill();
		this.client = this.store.connect("client");
		assertThat(this.client.call(set(ONE)).version()).isGreaterThan(earlier);
	}

	@Test
	void startOnFullDiskNamesNextStep() {
		this.store.disk.full(true);
		await("a full disk").until(() -> call(set(ONE)).equals(OVER_QUOTA));
		this.store.close();
		assertThatExceptionOfType(DiskFullException.class).isThrownBy(this.store::server)
			.withMessageContaining("'/store' cannot start")
			.withMessageContaining("Free space on the disk, then start it again");
	}

}
