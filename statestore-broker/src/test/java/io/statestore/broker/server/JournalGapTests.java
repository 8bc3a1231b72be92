package io.statestore.broker.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.server.Change.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Changes that are omitted because the journal is stuck, and the content behind them. */
class JournalGapTests {

	private static final Bytes LARGE = Bytes.wrap(new byte[100_000]);

	private final TestJournal journal = new TestJournal();

	private final StateStoreServer server = new StateStoreServer(
			StateStoreServerOptions.defaults().withJournal(this.journal),
			new ServerTuning(1_000_000, LogOptions.SEGMENT_BYTES, SnapshotWriter.MIN_LOG_BYTES, FileLog::open));

	private final RecordingConnection client = RecordingConnection.to(this.server, "client");

	private final Map<Bytes, Bytes> model = new HashMap<>();

	@AfterEach
	void close() {
		this.journal.failing = false;
		this.server.close();
	}

	private Version set(String key, Bytes value) {
		this.model.put(Bytes.of(key), value);
		Version version = this.client.call(new Command.Set(Bytes.of(key), value)).version();
		assertThat(version).isNotNull();
		return version;
	}

	private void delete(String key) {
		this.model.remove(Bytes.of(key));
		this.client.call(new Command.Del(Bytes.of(key)));
	}

	private List<Change> awaitComplete() {
		await("the content").untilAsserted(() -> assertThat(this.journal.rebuild()).isEqualTo(this.model));
		return this.journal.changes();
	}

	@Test
	void writesGapAndContentOnceThereIsRoom() {
		Version kept = set("kept", Bytes.of("1"));
		set("deleted", Bytes.of("2"));
		this.journal.awaitChanges(3);
		CountDownLatch hold = this.journal.hold();
		for (int i = 0; i < 15; i++) {
			set("large " + i % 2, LARGE);
		}
		delete("deleted");
		Version last = set("last", Bytes.of("3"));
		this.journal.awaitHeld();
		hold.countDown();
		List<Change> changes = awaitComplete();
		assertThat(changes.subList(0, 3)).extracting(Change::operation)
			.containsExactly(Operation.START, Operation.SET, Operation.SET);
		List<Change> content = changes.stream().dropWhile((it) -> it.operation() != Operation.GAP).toList();
		assertThat(content).extracting(Change::operation)
			.containsExactly(Operation.GAP, Operation.PRESENT, Operation.PRESENT, Operation.PRESENT, Operation.PRESENT,
					Operation.COMPLETE);
		assertThat(content).extracting(Change::version).containsOnly(last);
		assertThat(content).filteredOn((it) -> it.key().equals(Bytes.of("kept")))
			.singleElement()
			.satisfies((it) -> assertThat(it.keyVersion()).isEqualTo(kept));
	}

	@Test
	void changesAfterGapFollowInOrder() {
		Random random = new Random(1);
		for (int round = 0; round < 5; round++) {
			CountDownLatch hold = this.journal.hold();
			for (int i = 0; i < 15; i++) {
				set("large " + random.nextInt(20), LARGE);
			}
			this.journal.awaitHeld();
			hold.countDown();
			for (int i = 0; i < 500; i++) {
				String key = "k" + random.nextInt(2_000);
				if (random.nextInt(4) == 0) {
					delete(key);
				}
				else {
					set(key, Bytes.of("v" + i));
				}
			}
			awaitComplete();
		}
		assertThat(this.journal.changes()).filteredOn((it) -> it.operation() == Operation.GAP)
			.hasSizeGreaterThanOrEqualTo(5);
	}

	@Test
	void writesContentAgainWhenDue() {
		Version kept = set("kept", Bytes.of("1"));
		this.journal.awaitChanges(2);
		this.journal.contentDue = true;
		Version last = set("last", Bytes.of("2"));
		List<Change> changes = this.journal.awaitChanges(7);
		assertThat(changes).extracting(Change::operation)
			.containsExactly(Operation.START, Operation.SET, Operation.SET, Operation.CONTENT, Operation.PRESENT,
					Operation.PRESENT, Operation.COMPLETE);
		assertThat(changes.subList(3, 7)).extracting(Change::version).containsOnly(last);
		assertThat(changes.subList(4, 6)).extracting(Change::keyVersion).containsExactlyInAnyOrder(kept, last);
		set("last", Bytes.of("3"));
		this.journal.awaitChanges(8);
	}

	@Test
	void servesAllRequestsWhileJournalFails() {
		this.journal.failing = true;
		for (int i = 0; i < 30; i++) {
			set("k", LARGE);
		}
		assertThat(this.client.call(new Command.Get(Bytes.of("k"))).reply()).isEqualTo(new Reply.Value(LARGE));
		this.journal.failing = false;
		awaitComplete();
	}

}
