package io.statestore.broker.server;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.server.Change.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** The content behind a gap, slice by slice. */
class ChangeFeedTests {

	private static final Requester CLIENT = Requester.anonymous("client");

	private static final int COST = 200;

	private final TestJournal journal = new TestJournal();

	private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

	/** A feed with room for one change. */
	private final ChangeFeed feed = new ChangeFeed(this.journal, COST);

	@AfterEach
	void close() {
		this.feed.close();
	}

	private static Version version(long millis) {
		return new Version(millis, 0, "StateStore");
	}

	private void runTask() throws InterruptedException {
		Runnable task = this.tasks.poll(10, TimeUnit.SECONDS);
		assertThat(task).as("a task within ten seconds").isNotNull();
		task.run();
	}

	@Test
	void writesScheduleContentOnce() {
		// A change is visible before its room is free.
		try (ChangeFeed roomy = new ChangeFeed(this.journal, 10 * COST)) {
			roomy.start(new StateMachine((key, value, version, clientId) -> {
			}), this.tasks::add, true);
			for (int i = 1; i <= 20; i++) {
				roomy.changed(Bytes.of("k"), Bytes.of("v"), version(i), CLIENT);
				this.journal.awaitChanges(i);
			}
			assertThat(this.tasks).hasSize(1);
		}
	}

	/** Returns a machine with keys. */
	private static StateMachine machine(int keys) {
		StateMachine machine = new StateMachine((key, value, version, clientId) -> {
		});
		long now = 1_700_000_000_000L;
		machine.apply(StoreStart.entry(StateStoreServerOptions.defaults(), 0, now, null, true, false, 0));
		for (int i = 0; i < keys; i++) {
			Bytes key = Bytes.of("k" + i);
			machine.apply(new LogEntry.Write(0, now, null, new Command.Set(key, Bytes.of("v")), now + ":0:client", null,
					"client", key, 1, null, true));
		}
		return machine;
	}

	@Test
	void repeatsEndOfContentThatHadNoRoom() throws Exception {
		CountDownLatch hold = this.journal.hold();
		this.feed.start(machine(1), this.tasks::add, true);
		runTask();
		this.journal.awaitHeld();
		hold.countDown();
		runTask();
		assertThat(this.journal.awaitChanges(2)).extracting(Change::operation)
			.containsExactly(Operation.PRESENT, Operation.COMPLETE);
	}

	@Test
	void snapshotWaitsWhileContentIsWrittenAgain() throws Exception {
		this.journal.contentDue = true;
		this.feed.start(machine(1), this.tasks::add, false);
		this.feed.changed(Bytes.of("k"), Bytes.of("v"), version(1), CLIENT);
		this.journal.awaitChanges(1);
		this.journal.failing = true;
		runTask();
		assertThat(this.feed.force(this.feed.added())).isFalse();
		this.journal.failing = false;
		await("a force").until(() -> this.feed.force(this.feed.added()));
	}

	@Test
	void contentWithoutRoomCausesNoGap() throws Exception {
		this.feed.start(machine(3), this.tasks::add, false);
		this.journal.contentDue = true;
		this.feed.changed(Bytes.of("k"), Bytes.of("v"), version(1), CLIENT);
		this.journal.awaitChanges(1);
		CountDownLatch hold = this.journal.hold();
		runTask();
		this.journal.awaitHeld();
		hold.countDown();
		runTask();
		await("content").untilAsserted(() -> assertThat(this.journal.changes()).extracting(Change::operation)
			.startsWith(Operation.SET, Operation.CONTENT, Operation.PRESENT));
		assertThat(this.journal.changes()).extracting(Change::operation).doesNotContain(Operation.GAP);
	}

	@Test
	void failsIfMarkIsNotWrittenInTime() {
		CountDownLatch hold = this.journal.hold();
		assertThatIllegalStateException()
			.isThrownBy(() -> this.feed.writeMark(Operation.START, version(1), Duration.ofMillis(50)))
			.withMessageStartingWith("The store cannot start, because its journal has not responded");
		hold.countDown();
	}

	@Test
	void forcesChangesOfEarlierServer() {
		this.journal.written.add(Change.mark(Operation.START, version(1)));
		assertThat(this.feed.force(0)).isFalse();
		await("a force").until(() -> this.feed.force(0));
		assertThat(this.journal.forced).isEqualTo(1);
	}

	@Test
	void interruptedCloseDropsWaitingChanges() {
		JournalWriter writer = new JournalWriter(this.journal, 1_000_000, (changes) -> {
		});
		CountDownLatch hold = this.journal.hold();
		writer.add(Change.mark(Operation.START, version(1)));
		this.journal.awaitHeld();
		writer.add(Change.of(Bytes.of("k"), Bytes.of("v"), version(2), CLIENT));
		Thread.currentThread().interrupt();
		writer.close();
		assertThat(Thread.interrupted()).isTrue();
		hold.countDown();
		await("one change").during(Duration.ofMillis(200)).until(() -> this.journal.changes().size() == 1);
	}

}
