package io.statestore.broker.server;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import io.statestore.broker.engine.Requester;
import io.statestore.broker.log.LogException;
import io.statestore.broker.server.Change.Operation;
import io.statestore.broker.storage.Fsync;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** The journal of a store with a directory, after both have ended in some way. */
class JournalRecoveryTests {

	private final TestJournal journal = new TestJournal();

	private final RestartableStore store = new RestartableStore();

	private final Map<Bytes, Bytes> model = new HashMap<>();

	private int number;

	JournalRecoveryTests() {
		this.store.journal = this.journal;
	}

	@AfterEach
	void close() {
		this.journal.failing = false;
		this.store.close();
	}

	/** Sets keys, one after the other. */
	private void set(int count) {
		RecordingConnection client = this.store.connect("client");
		for (int i = 0; i < count; i++) {
			Bytes key = Bytes.of("k" + this.number % 50);
			Bytes value = Bytes.of("v" + this.number++);
			this.model.put(key, value);
			client.call(new Command.Set(key, value));
		}
	}

	private List<Change> awaitContent() {
		await("the content").until(() -> !this.journal.isAfterGap() && this.journal.last() != null
				&& this.journal.rebuild().equals(this.model));
		return this.journal.changes();
	}

	private long count(Operation operation) {
		return this.journal.changes().stream().filter((it) -> it.operation() == operation).count();
	}

	private void awaitSnapshot(long after) {
		await("a snapshot").untilAsserted(() -> {
			set(1);
			assertThat(snapshotIndex()).isGreaterThan(after);
		});
	}

	private long snapshotIndex() {
		return this.store.server().durability().orElseThrow().snapshotIndex();
	}

	@Test
	void restartWritesNoMark() {
		set(100);
		for (int i = 0; i < 3; i++) {
			this.store.kill();
			set(10);
		}
		awaitContent();
		assertThat(count(Operation.START)).isEqualTo(1);
		assertThat(this.journal.changes()).hasSize(131);
	}

	@Test
	void recoveryRepeatsLostChangesOnce() {
		set(100);
		List<Change> before = awaitContent();
		for (int kept : new int[] { 100, 60, 1 }) {
			this.store.close();
			this.journal.truncate(kept);
			this.store.server();
			assertThat(this.journal.awaitChanges(101)).isEqualTo(before);
		}
	}

	@Test
	void recoveryRepeatsChangesThatWereNotWritten() {
		set(10);
		this.journal.awaitChanges(11);
		CountDownLatch hold = this.journal.hold();
		set(100);
		this.journal.awaitHeld();
		this.journal.failing = true;
		hold.countDown();
		this.store.disk.kill();
		this.store.close();
		assertThat(this.journal.changes()).hasSize(11);
		this.journal.failing = false;
		this.store.server();
		awaitContent();
		assertThat(this.journal.changes()).hasSize(111);
	}

	@Test
	void snapshotWaitsForJournal() {
		this.store.minLogBytes = 100_000;
		set(1);
		this.journal.awaitChanges(2);
		CountDownLatch hold = this.journal.hold();
		set(1_500);
		this.journal.awaitHeld();
		await("a snapshot that waits").during(Duration.ofMillis(400)).until(() -> {
			set(1);
			return snapshotIndex() == 0;
		});
		hold.countDown();
		awaitSnapshot(0);
		assertThat(this.journal.forced).isGreaterThan(300);
		this.store.close();
		this.journal.truncate(this.journal.forced);
		this.store.server();
		awaitContent();
		assertThat(count(Operation.GAP)).isZero();
	}

	@Test
	void snapshotDoesNotWaitBeyondLimit() {
		this.store.minLogBytes = 5_000;
		set(1);
		this.journal.awaitChanges(2);
		this.journal.failing = true;
		awaitSnapshot(0);
		assertThat(count(Operation.SET)).isEqualTo(1);
		this.journal.failing = false;
		awaitContent();
		assertThat(count(Operation.GAP)).isZero();
	}

	@Test
	void writesContentIfSnapshotIsAhead() {
		this.store.minLogBytes = 5_000;
		set(1);
		awaitSnapshot(0);
		this.store.close();
		this.journal.truncate(2);
		this.store.server();
		awaitContent();
		assertThat(count(Operation.GAP)).isEqualTo(1);
		assertThat(count(Operation.PRESENT)).isEqualTo(this.model.size());
		this.store.kill();
		set(1);
		awaitContent();
		assertThat(count(Operation.GAP)).isEqualTo(1);
	}

	@Test
	void writesContentOfStoreWithoutJournal() {
		this.store.journal = null;
		set(100);
		this.store.close();
		this.store.journal = this.journal;
		this.store.server();
		awaitContent();
		assertThat(this.journal.changes()).first().extracting(Change::operation).isEqualTo(Operation.GAP);
		assertThat(this.journal.changes()).hasSize(52);
	}

	@Test
	void recoveryWritesChangesMadeWithoutJournal() {
		set(100);
		awaitContent();
		this.store.close();
		this.store.journal = null;
		set(10);
		this.store.close();
		this.store.journal = this.journal;
		this.store.server();
		awaitContent();
		assertThat(this.journal.changes()).hasSize(111);
		assertThat(count(Operation.GAP)).isZero();
	}

	@Test
	void writesContentAfterLogLostItsEnd() {
		this.store.with(Fsync.NEVER);
		set(100);
		awaitContent();
		Version last = this.journal.last();
		this.store.cutPower();
		this.model.clear();
		this.model.putAll(contentOfStore());
		awaitContent();
		assertThat(count(Operation.GAP) + count(Operation.START)).isEqualTo(2);
		assertThat(this.journal.changes().get(101).version()).isGreaterThan(last);
	}

	private Map<Bytes, Bytes> contentOfStore() {
		Map<Bytes, Bytes> content = new HashMap<>();
		RecordingConnection client = this.store.connect("reader");
		for (int i = 0; i < 50; i++) {
			Bytes key = Bytes.of("k" + i);
			if (client.call(new Command.Get(key)).reply() instanceof Reply.Value value) {
				content.put(key, value.value());
			}
		}
		return content;
	}

	@Test
	void writesContentIfJournalBelongsToAnotherStore() {
		this.store.journal = null;
		set(10);
		this.store.pass(Duration.ofSeconds(2));
		set(10);
		this.store.close();
		this.store.journal = this.journal;
		Version foreign = new Version(this.store.wallMillis.get() - 1_000, 0, "StateStore");
		this.journal.written.add(Change.mark(Operation.START, new Version(1, 0, "StateStore")));
		this.journal.written.add(Change.of(Bytes.of("foreign"), Bytes.of("v"), foreign, Requester.anonymous("c")));
		this.store.server();
		awaitContent();
		assertThat(this.journal.changes().get(2).operation()).isEqualTo(Operation.GAP);
	}

	@Test
	void writesInterruptedContentAgain() {
		this.store.journal = null;
		set(100);
		this.store.close();
		this.store.journal = this.journal;
		this.store.server();
		awaitContent();
		for (int kept : new int[] { 51, 30, 1 }) {
			this.store.close();
			this.journal.truncate(kept);
			this.store.server();
			awaitContent();
			assertThat(count(Operation.GAP)).isEqualTo(2);
		}
	}

	@Test
	void recoveryContinuesAfterInterruptedContent() {
		set(100);
		this.journal.awaitChanges(101);
		this.journal.contentDue = true;
		set(1);
		this.journal.awaitChanges(154);
		this.store.close();
		this.journal.truncate(120);
		this.journal.contentDue = true;
		set(1);
		await("the content").until(() -> count(Operation.COMPLETE) == 1);
		awaitContent();
		assertThat(count(Operation.GAP)).isZero();
		assertThat(count(Operation.SET)).isEqualTo(102);
	}

	@Test
	void startFailsIfGapCannotBeWritten() {
		this.store.journal = null;
		set(10);
		this.store.close();
		this.store.journal = this.journal;
		this.journal.failing = true;
		assertThatIllegalStateException().isThrownBy(this.store::server).withMessage("full");
		this.journal.failing = false;
		this.store.server();
		awaitContent();
	}

	@Test
	void failedStartsWriteNothingLater() {
		set(100);
		awaitContent();
		this.store.close();
		this.journal.truncate(1);
		this.journal.failing = true;
		this.store.disk.failNextForce();
		assertThatExceptionOfType(LogException.class).isThrownBy(this.store::server);
		this.store.clockFailure = new IllegalStateException("no clock");
		assertThatIllegalStateException().isThrownBy(this.store::server).withMessage("no clock");
		this.store.clockFailure = null;
		this.journal.failing = false;
		this.store.server();
		awaitContent();
		await("no repetition").during(Duration.ofMillis(1_500)).until(() -> this.journal.changes().size() == 101);
	}

	@Test
	void snapshotDoesNotWaitIfDiskIsFull() {
		this.store.minLogBytes = 100_000;
		set(1);
		this.journal.awaitChanges(2);
		this.journal.failing = true;
		set(1_500);
		await("a snapshot that waits").during(Duration.ofMillis(400)).until(() -> {
			set(1);
			return snapshotIndex() == 0;
		});
		this.store.disk.full(true);
		RecordingConnection client = this.store.connect("large");
		Command large = new Command.Set(Bytes.of("large"), Bytes.wrap(new byte[20_000]));
		await("a full disk").until(() -> client.call(large).reply() instanceof Reply.Error);
		await("a snapshot").atMost(Duration.ofSeconds(8)).until(() -> snapshotIndex() > 0);
		await("space").atMost(Duration.ofSeconds(8)).until(() -> client.call(large).reply() instanceof Reply.Ok);
	}

}
