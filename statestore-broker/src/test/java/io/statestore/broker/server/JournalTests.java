package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.server.Change.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Changes that reach the {@link ChangeJournal}. */
class JournalTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private final TestJournal journal = new TestJournal();

	private final AtomicLong nanos = new AtomicLong();

	private @Nullable StateStoreServer server;

	@AfterEach
	void close() {
		this.journal.failing = false;
		if (this.server != null) {
			this.server.close();
		}
	}

	private StateStoreServer start(StateStoreServerOptions options) {
		StateStoreServer server = new StateStoreServer(options.withJournal(this.journal));
		this.server = server;
		return server;
	}

	private StateStoreServer start() {
		return start(StateStoreServerOptions.defaults());
	}

	private static Command.Set set(Bytes value, @Nullable Duration expiry) {
		return new Command.Set(KEY, value, Condition.ALWAYS, expiry);
	}

	@Test
	void journalsChangesInOrderWithVersionAndAuthor() {
		StateStoreServer server = start(StateStoreServerOptions.defaults().withNanoClock(this.nanos::get));
		RecordingConnection client = RecordingConnection.to(server, "client");
		RecordingConnection other = RecordingConnection.to(server, "other");
		Version first = client.call(set(ONE, null)).version();
		Version second = other.call(set(ONE, Duration.ofSeconds(1))).version();
		client.call(new Command.Set(KEY, ONE, Condition.IF_ABSENT, null));
		client.call(new Command.VDel(KEY, Bytes.of("another")));
		this.nanos.addAndGet(Duration.ofSeconds(2).toNanos());
		client.call(new Command.Get(KEY));
		client.call(new Command.Del(KEY));
		client.call(set(ONE, null));
		Version deleted = other.call(new Command.Del(KEY)).version();
		client.call(set(ONE, null));
		client.call(new Command.VDel(KEY, ONE));
		List<Change> changes = this.journal.awaitChanges(8);
		assertThat(changes).extracting(Change::operation)
			.containsExactly(Operation.START, Operation.SET, Operation.SET, Operation.EXPIRE, Operation.SET,
					Operation.DELETE, Operation.SET, Operation.DELETE);
		assertThat(changes).extracting(Change::clientId)
			.containsExactly(null, "client", "other", null, "client", "other", "client", "client");
		assertThat(changes).extracting(Change::version).isSorted().doesNotHaveDuplicates();
		assertThat(changes).extracting(Change::version).contains(first, second, deleted);
		assertThat(changes.subList(1, 8)).allMatch((change) -> change.key().equals(KEY));
	}

	@Test
	void journalsExpiryWithoutRequest() {
		RecordingConnection client = RecordingConnection.to(start(), "client");
		client.call(set(ONE, Duration.ofMillis(20)));
		assertThat(this.journal.take().operation()).isEqualTo(Operation.START);
		assertThat(this.journal.take().operation()).isEqualTo(Operation.SET);
		assertThat(this.journal.take().operation()).isEqualTo(Operation.EXPIRE);
	}

	@Test
	void repliesWithoutWaitingForJournal() {
		StateStoreServer server = start();
		RecordingConnection writer = RecordingConnection.to(server, "writer");
		RecordingConnection observer = RecordingConnection.to(server, "observer");
		observer.call(new Command.KeyNotify(KEY));
		CountDownLatch hold = this.journal.hold();
		assertThat(writer.call(set(ONE, null)).reply()).isInstanceOf(Reply.Ok.class);
		this.journal.awaitHeld();
		assertThat(observer.take()).isInstanceOf(OutgoingMessage.class);
		assertThat(observer.call(new Command.Get(KEY)).reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(this.journal.changes()).hasSize(1);
		hold.countDown();
		this.journal.awaitChanges(2);
	}

	@Test
	void writesChangesOfOneWriteTogether() {
		StateStoreServer server = start();
		RecordingConnection client = RecordingConnection.to(server, "client");
		CountDownLatch hold = this.journal.hold();
		server.request(client.draft(set(ONE, null)).toRequest());
		this.journal.awaitHeld();
		for (int i = 0; i < 100; i++) {
			server.request(client.draft(set(ONE, null)).toRequest());
		}
		hold.countDown();
		this.journal.awaitChanges(102);
		assertThat(this.journal.sizes).containsExactly(1, 1, 100);
	}

	@Test
	void servesRequestsWhileJournalFails() {
		RecordingConnection client = RecordingConnection.to(start(), "client");
		client.call(set(ONE, null));
		this.journal.awaitChanges(2);
		this.journal.failing = true;
		client.call(set(Bytes.of("2"), null));
		// The second attempt shows that the first one has failed.
		this.journal.awaitFailures(2);
		client.call(set(Bytes.of("3"), null));
		assertThat(client.call(new Command.Get(KEY)).reply()).isEqualTo(new Reply.Value(Bytes.of("3")));
		this.journal.failing = false;
		assertThat(this.journal.awaitChanges(4)).extracting(Change::value)
			.containsExactly(Bytes.EMPTY, ONE, Bytes.of("2"), Bytes.of("3"));
	}

	@Test
	void writesMissedChangesAfterRestartWithDirectory() {
		try (RestartableStore store = new RestartableStore()) {
			store.journal = this.journal;
			store.connect("client").call(set(ONE, null));
			Version written = this.journal.awaitChanges(2).get(1).version();
			this.journal.failing = true;
			RecordingConnection client = store.connect("other");
			Version missed = client.call(set(Bytes.of("2"), null)).version();
			Version deleted = client.call(new Command.Del(KEY)).version();
			this.journal.awaitFailures(1);
			this.journal.last = written;
			store.kill();
			this.journal.failing = false;
			Version last = store.connect("client").call(set(ONE, null)).version();
			List<Change> changes = this.journal.awaitChanges(5);
			assertThat(changes).extracting(Change::version).endsWith(written, missed, deleted, last);
			assertThat(changes).extracting(Change::operation)
				.containsExactly(Operation.START, Operation.SET, Operation.SET, Operation.DELETE, Operation.SET);
			assertThat(changes).extracting(Change::clientId)
				.containsExactly(null, "client", "other", "other", "client");
		}
	}

	@Test
	void startFailsIfJournalFails() {
		this.journal.failing = true;
		assertThatIllegalStateException().isThrownBy(this::start).withMessage("full");
	}

	@Test
	void versionsContinueAfterClockWasSetBack() {
		Version future = new Version(System.currentTimeMillis() + 3_600_000, 7, "StateStore");
		this.journal.last = future;
		StateStoreServer server = start();
		Version version = RecordingConnection.to(server, "client").call(set(ONE, null)).version();
		assertThat(version).isGreaterThan(future);
		assertThat(this.journal.changes()).extracting(Change::version)
			.first()
			.satisfies((start) -> assertThat(start).isGreaterThan(future).isLessThan(version));
	}

	@Test
	void closeWaitsForWrite() throws Exception {
		StateStoreServer server = start();
		RecordingConnection client = RecordingConnection.to(server, "client");
		CountDownLatch hold = this.journal.hold();
		server.request(client.draft(set(ONE, null)).toRequest());
		this.journal.awaitHeld();
		server.request(client.draft(set(Bytes.of("2"), null)).toRequest());
		Thread closing = new Thread(server::close);
		closing.start();
		hold.countDown();
		closing.join(10_000);
		assertThat(closing.isAlive()).isFalse();
		assertThat(this.journal.changes()).hasSize(3);
		assertThat(client.events).hasSize(4);
	}

	@Test
	void writesAgainAfterErrorOfJournal() {
		StateStoreServer server = start();
		RecordingConnection client = RecordingConnection.to(server, "client");
		this.journal.error = new OutOfMemoryError("a test");
		assertThat(client.call(set(ONE, null)).reply()).isInstanceOf(Reply.Ok.class);
		this.journal.awaitChanges(2);
	}

	@Test
	void limitsSizeOfWrites() {
		StateStoreServer server = start();
		RecordingConnection client = RecordingConnection.to(server, "client");
		CountDownLatch hold = this.journal.hold();
		server.request(client.draft(set(ONE, null)).toRequest());
		this.journal.awaitHeld();
		Bytes large = Bytes.wrap(new byte[1 << 20]);
		for (int i = 0; i < 20; i++) {
			server.request(client.draft(set(large, null)).toRequest());
		}
		hold.countDown();
		this.journal.awaitChanges(22);
		assertThat(this.journal.sizes).containsExactly(1, 1, 8, 8, 4);
	}

}
