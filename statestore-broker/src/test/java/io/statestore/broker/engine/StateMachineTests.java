package io.statestore.broker.engine;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.MISSING;
import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.versionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Entries of the state machine, and reads between them. */
class StateMachineTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final TestStore store = new TestStore();

	@Test
	void requiresStartAsFirstEntry() {
		StateMachine machine = new StateMachine((key, value, version, author) -> {
		});
		assertThatIllegalStateException().isThrownBy(() -> machine.apply(new LogEntry.Issue(0, 0, null)));
		assertThatIllegalStateException().isThrownBy(machine::beginSnapshot);
	}

	@Test
	void repeatedRequestIsAnsweredFromMemory() {
		LogEntry.Write request = write(set("k", "v", Condition.IF_ABSENT, null), 1, false);
		Answer granted = this.store.append(request);
		assertThat(granted.reply()).isEqualTo(OK);
		assertThat(this.store.machine.isRepeated()).isFalse();
		this.store.takeChanges();
		this.store.pass(SECOND);
		assertThat(this.store.append(write(set("k", "v", Condition.IF_ABSENT, null), 1, false))).isEqualTo(granted);
		assertThat(this.store.machine.isRepeated()).isTrue();
		assertThat(this.store.takeChanges()).isEmpty();
		assertThat(this.store.machine.remembered(TestStore.CLIENT, Bytes.of("c1"), 1)).isEqualTo(granted);
		assertThat(this.store.machine.remembered(Requester.anonymous("other"), Bytes.of("c1"), 1)).isNull();
		this.store.set("k", "w");
		assertThat(this.store.machine.isRepeated()).isFalse();
	}

	@Test
	void answersAgeByLogTime() {
		this.store.append(write(del("k"), 1, false));
		this.store.wallMillis += 3_600_000;
		assertThat(this.store.machine.remembered(TestStore.CLIENT, Bytes.of("c1"), 1)).isNotNull();
		this.store.nanos += RequestMemory.MIN_RETENTION.toNanos() + 1;
		this.store.expire(1);
		assertThat(this.store.machine.remembered(TestStore.CLIENT, Bytes.of("c1"), 1)).isNull();
	}

	@Test
	void readsChangeNothing() {
		this.store.set("k", "v", SECOND);
		this.store.takeChanges();
		byte[] before = Machines.dump(this.store.machine);
		this.store.machine.read(new Command.Get(Bytes.of("k")));
		this.store.machine.read(new Command.Scan(Bytes.of("*"), null));
		this.store.pass(SECOND.multipliedBy(2));
		assertThat(this.store.machine.due(this.store.nanos, 10)).containsExactly(Bytes.of("k"));
		assertThat(this.store.machine.isDue(Bytes.of("k"), this.store.nanos)).isTrue();
		assertThat(this.store.machine.read(new Command.Get(Bytes.of("k"))).reply()).isEqualTo(value("v"));
		assertThat(Machines.dump(this.store.machine)).isEqualTo(before);
		assertThat(this.store.takeChanges()).isEmpty();
	}

	@Test
	void dueKeysAreLimitedInBytes() {
		for (int i = 0; i < 4; i++) {
			this.store.set(i + "k".repeat(600_000), "v", SECOND);
		}
		this.store.pass(SECOND.multipliedBy(2));
		assertThat(this.store.machine.due(this.store.nanos, 1_000)).hasSize(2);
		assertThat(this.store.machine.nextDeadline()).isLessThanOrEqualTo(this.store.nanos);
	}

	@Test
	void readUsesLogTimeOfLastEntry() {
		this.store.set("k", "v", SECOND);
		this.store.pass(SECOND.multipliedBy(2));
		this.store.append(new LogEntry.Expire(this.store.nanos, this.store.wallMillis, null, List.of()));
		assertThat(this.store.machine.read(new Command.Get(Bytes.of("k"))).reply()).isEqualTo(MISSING);
		assertThat(((Reply.Page) this.store.machine.read(new Command.Scan(Bytes.of("*"), null)).reply()).keys())
			.isEmpty();
		assertThat(this.store.machine.keyCount()).isEqualTo(1);
	}

	@Test
	void readRefusesWrite() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.machine.read(del("k")));
	}

	@Test
	void expireRemovesOnlyListedDueKeys() {
		for (String key : List.of("a", "b", "c")) {
			this.store.set(key, "v", SECOND);
		}
		this.store.set("later", "v", SECOND.multipliedBy(10));
		this.store.set("never", "v");
		this.store.takeChanges();
		this.store.pass(SECOND.multipliedBy(2));
		List<Bytes> keys = List.of(Bytes.of("c"), Bytes.of("later"), Bytes.of("never"), Bytes.of("absent"),
				Bytes.of("a"), Bytes.of("a"));
		Answer answer = this.store.append(new LogEntry.Expire(this.store.nanos, this.store.wallMillis, null, keys));
		assertThat(answer.reply()).isEqualTo(new Reply.Count(2));
		assertThat(this.store.takeChanges()).extracting(Change::key).containsExactly(Bytes.of("c"), Bytes.of("a"));
		assertThat(this.store.machine.keyCount()).isEqualTo(3);
	}

	@Test
	void logTimeNeverDecreases() {
		this.store.set("k", "v", SECOND);
		this.store.pass(SECOND.multipliedBy(2));
		this.store.append(new LogEntry.Expire(this.store.nanos, this.store.wallMillis, null, List.of()));
		long logTime = this.store.machine.logTime();
		this.store.nanos = 0;
		this.store.set("l", "v", SECOND);
		assertThat(this.store.machine.logTime()).isEqualTo(logTime);
		assertThat(this.store.machine.isDue(Bytes.of("l"), logTime + SECOND.toNanos() - 1)).isFalse();
	}

	@Test
	void issuesVersionWithoutChange() {
		Version last = versionOf(this.store.set("k", "v"));
		this.store.takeChanges();
		Answer issued = this.store.append(new LogEntry.Issue(this.store.nanos, this.store.wallMillis, null));
		assertThat(versionOf(issued)).isGreaterThan(last).isEqualTo(this.store.machine.lastVersion());
		assertThat(this.store.takeChanges()).isEmpty();
		assertThat(versionOf(this.store.set("k", "v"))).isGreaterThan(versionOf(issued));
	}

	@Test
	void laterStartChangesLimitsButNotSeed() {
		for (int i = 0; i < 100; i++) {
			this.store.set("k" + i, "v");
		}
		List<Reply> pages = Machines.scan(this.store.machine);
		this.store.start(new Quota(100, 1_000), 7, 0, null, true);
		assertThat(Machines.scan(this.store.machine)).isEqualTo(pages);
		assertThat(this.store.machine.quota()).isEqualTo(new Quota(100, 1_000));
		assertThat(this.store.machine.replyCount()).isZero();
		assertThat(this.store.set("another", "v").reply()).isNotEqualTo(OK);
	}

	@Test
	void laterVersionsExceedVersionSetByStart() {
		Version after = new Version(this.store.wallMillis + 86_400_000, 5, "StateStore");
		this.store.start(Quota.UNLIMITED, 7, 0, after, true);
		assertThat(versionOf(this.store.set("k", "v"))).isGreaterThan(after);
	}

	@Test
	void startRemovesNonPersistentKeys() {
		for (int i = 0; i < 1_000; i++) {
			this.store.append(write(set("k" + i, "v", Condition.ALWAYS, null), i, i % 3 == 0));
		}
		this.store.append(write(set("k0", "v", Condition.ALWAYS, null), 1_000, false));
		this.store.append(write(set("k1", "v", Condition.IF_ABSENT_OR_EQUAL, null), 1_001, true));
		Version last = this.store.machine.lastVersion();
		List<Bytes> order = Machines.keys(this.store.machine);
		this.store.takeChanges();
		this.store.start(Quota.UNLIMITED, 7, 0, null, false);
		assertThat(this.store.machine.keyCount()).isEqualTo(334);
		assertThat(this.store.get("k0").reply()).isEqualTo(MISSING);
		assertThat(this.store.get("k1").reply()).isEqualTo(value("v"));
		List<Change> removed = this.store.takeChanges();
		assertThat(removed).hasSize(666).allMatch((change) -> change.value() == null && change.author() == null);
		assertThat(removed).extracting(Change::version).isSorted().doesNotHaveDuplicates();
		assertThat(removed.get(0).version()).isGreaterThan(last);
		// Keys are removed in SCAN order
		order.retainAll(removed.stream().map(Change::key).toList());
		assertThat(removed).extracting(Change::key).isEqualTo(order);
	}

	@Test
	void quotaRemovesExpiredKeysByDeadlineThenVersion() {
		TestStore store = new TestStore(new Quota(4, 1_000));
		store.set("d", "v", Duration.ofMillis(3));
		store.set("c", "v", Duration.ofMillis(2));
		store.set("b", "v", Duration.ofMillis(2));
		store.set("a", "v", Duration.ofMillis(1));
		store.pass(SECOND);
		store.takeChanges();
		assertThat(store.set("e", "v").reply()).isEqualTo(OK);
		assertThat(store.takeChanges()).extracting(Change::key)
			.containsExactly(Bytes.of("a"), Bytes.of("c"), Bytes.of("b"), Bytes.of("d"), Bytes.of("e"));
	}

	@Test
	void reportsEveryChangeWithItsClient() {
		Requester one = Requester.anonymous("one");
		Requester two = new Requester("ada", "one");
		Answer stored = this.store.apply(set("k", "v", Condition.ALWAYS, null), this.store.now().toString(), null, one);
		Answer deleted = this.store.apply(del("k"), null, null, two);
		assertThat(this.store.takeChanges()).containsExactly(
				new Change(Bytes.of("k"), Bytes.of("v"), versionOf(stored), one),
				new Change(Bytes.of("k"), null, versionOf(deleted), two));
	}

	@Test
	void storedValueDoesNotRetainMessage() {
		Bytes message = Bytes.of("..key..value..");
		this.store.apply(new Command.Set(message.slice(2, 5), message.slice(7, 12)));
		Answer answer = this.store.get("key");
		assertThat(answer.reply()).isEqualTo(value("value"));
		Bytes kept = ((Reply.Value) answer.reply()).value();
		assertThat(kept.compact()).isSameAs(kept);
		Bytes key = Machines.keys(this.store.machine).get(0);
		assertThat(key.compact()).isSameAs(key);
	}

	private LogEntry.Write write(Command.Write command, int number, boolean persistent) {
		@Nullable String timestamp = this.store.now().toString();
		return this.store.write(command, timestamp, null, TestStore.CLIENT, number, persistent);
	}

}
