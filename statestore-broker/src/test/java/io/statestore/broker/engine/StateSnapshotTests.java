package io.statestore.broker.engine;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.statestore.broker.codec.StateFormatException;
import io.statestore.broker.engine.TestStore.Change;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Snapshots that are written while the machine applies more entries. */
class StateSnapshotTests {

	@Property
	void restoresStateAtItsStartUnderAnyInterleaving(@ForAll long seed) {
		Random random = new Random(seed);
		int keys = 1 + random.nextInt(random.nextBoolean() ? 10 : 2_000);
		RandomLog log = new RandomLog(seed, keys);
		TestStore store = log.store;
		log.run(random.nextInt(3 * keys));
		int begin = store.entries.size();
		byte[] snapshot = snapshot(store.machine, random, () -> log.run(random.nextInt(1 + keys / 4)));
		log.run(random.nextInt(2 * keys));

		StateMachine replayed = Machines.create();
		store.entries.subList(0, begin).forEach(replayed::apply);
		List<Change> changes = new ArrayList<>();
		StateMachine restored = Machines.restore(snapshot,
				(key, value, version, author) -> changes.add(new Change(key, value, version, author)));
		assertEqualState(restored, replayed);
		for (int i = begin; i < store.entries.size(); i++) {
			assertThat(restored.apply(store.entries.get(i))).isEqualTo(store.answers.get(i));
		}
		assertEqualState(restored, store.machine);
		assertThat(changes)
			.isEqualTo(store.changes.subList(store.changes.size() - changes.size(), store.changes.size()));
	}

	/** Writes a snapshot in slices of random size. */
	private static byte[] snapshot(StateMachine machine, Random random, Runnable between) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (StateSnapshot snapshot = machine.beginSnapshot()) {
			int maxSize = 1 << (1 + random.nextInt(14));
			between.run();
			@Nullable ByteBuffer slice = snapshot.next(1 + random.nextInt(maxSize));
			while (slice != null) {
				bytes.write(slice.array(), slice.position(), slice.remaining());
				if (random.nextInt(8) == 0) {
					between.run();
				}
				slice = snapshot.next(1 + random.nextInt(maxSize));
			}
		}
		return bytes.toByteArray();
	}

	private static void assertEqualState(StateMachine actual, StateMachine expected) {
		assertThat(Machines.dump(actual)).isEqualTo(Machines.dump(expected));
		assertThat(Machines.scan(actual)).isEqualTo(Machines.scan(expected));
		assertThat(actual.logTime()).isEqualTo(expected.logTime());
		assertThat(actual.lastVersion()).isEqualTo(expected.lastVersion());
		assertThat(actual.lastChange()).isEqualTo(expected.lastChange());
		assertThat(actual.quota()).isEqualTo(expected.quota());
		assertThat(actual.keyCount()).isEqualTo(expected.keyCount());
		assertThat(actual.byteCount()).isEqualTo(expected.byteCount());
		assertThat(actual.replyCount()).isEqualTo(expected.replyCount());
		assertThat(actual.replyBytes()).isEqualTo(expected.replyBytes());
		assertThat(actual.sessions().memory().used()).isEqualTo(expected.sessions().memory().used());
	}

	@Test
	void restoredKeysExpireAtTheirDeadline() {
		TestStore store = new TestStore();
		for (int i = 0; i < 100; i++) {
			store.set("k" + i, "v", Duration.ofMillis(1 + i * 100L));
		}
		StateMachine restored = Machines.restore(Machines.dump(store.machine));
		assertThat(restored.nextDeadline()).isLessThanOrEqualTo(store.nanos + 1_000_000);
		for (int i = 0; i < 100; i++) {
			long deadline = store.nanos + 1_000_000 + i * 100_000_000L;
			Bytes key = Bytes.of("k" + i);
			assertThat(restored.due(deadline - 1, 1_000)).hasSize(i).doesNotContain(key);
			assertThat(restored.due(deadline, 1_000)).hasSize(i + 1).contains(key);
		}
	}

	@Test
	void restoredKeyExpiresWithAnyValueSize() {
		TestStore store = new TestStore();
		for (int length : new int[] { 0, LockNames.MAX_HOLDER_LENGTH, LockNames.MAX_HOLDER_LENGTH + 1 }) {
			store.set("k" + length, "v".repeat(length), Duration.ofSeconds(1));
		}
		StateMachine restored = Machines.restore(Machines.dump(store.machine));
		long deadline = store.nanos + 1_000_000_000;
		assertThat(restored.due(deadline - 1, 10)).isEmpty();
		assertThat(restored.due(deadline, 10)).hasSize(3);
		assertThat(Machines.dump(restored)).isEqualTo(Machines.dump(store.machine));
	}

	@Test
	void restoresVersionOfLatestChange() {
		TestStore store = new TestStore();
		assertThat(Machines.restore(Machines.dump(store.machine)).lastChange()).isEqualTo(StateMachine.BEFORE_ALL);
		store.set("k", "v");
		Version deleted = TestStore.versionOf(store.apply(TestStore.del("k")));
		store.append(new LogEntry.Issue(store.nanos, store.wallMillis, null));
		StateMachine restored = Machines.restore(Machines.dump(store.machine));
		assertThat(restored.lastChange()).isEqualTo(deleted).isLessThan(restored.lastVersion());
	}

	@Test
	void restoresMaxPowerFailureLoss() {
		TestStore store = new TestStore();
		store.append(new LogEntry.Start(store.nanos, store.wallMillis, null, 1, new Quota(1, 1), 0, null, true, 2_000));
		assertThat(store.machine.maxLostMillis()).isEqualTo(2_000);
		assertThat(Machines.restore(Machines.dump(store.machine)).maxLostMillis()).isEqualTo(2_000);
	}

	@Test
	void restoresSessionsAndTheirLimits() {
		TestStore store = new TestStore();
		store.start(Quota.UNLIMITED.withSessions(10_000, 1_000), 1, 0, null, true);
		StateMachine limited = Machines.restore(Machines.dump(store.machine));
		assertThat(limited.quota()).isEqualTo(store.machine.quota());
		Connect connect = new Connect("client", "", false, 60, null, true);
		store.append(new LogEntry.Session(store.nanos, store.wallMillis, null, connect));
		store.start(Quota.UNLIMITED, 1, 0, null, true);
		StateMachine restored = Machines.restore(Machines.dump(store.machine));
		assertThat(restored.sessions().find("client")).isNotNull();
		assertThat(restored.sessions().nextDeadline()).isEqualTo(store.nanos + 60_000_000_000L);
	}

	@Test
	void changedKeysFillSeparateSlices() {
		TestStore store = new TestStore();
		for (int i = 0; i < 1_000; i++) {
			store.set("k" + i, "v".repeat(1_000));
		}
		byte[] before = Machines.dump(store.machine);
		try (StateSnapshot snapshot = store.machine.beginSnapshot()) {
			for (int i = 0; i < 1_000; i++) {
				store.set("k" + i, "w");
			}
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			int slices = 0;
			for (ByteBuffer slice = snapshot.next(1); slice != null; slice = snapshot.next(1)) {
				assertThat(slice.remaining()).isLessThan(1 << 17);
				bytes.write(slice.array(), slice.position(), slice.remaining());
				slices++;
			}
			assertThat(slices).isGreaterThan(10);
			StateMachine restored = Machines.restore(bytes.toByteArray());
			assertThat(Machines.dump(restored)).isEqualTo(before);
		}
	}

	@Test
	void oneCallVisitsLimitedNumberOfKeys() {
		TestStore store = new TestStore();
		for (int i = 0; i < 100_000; i++) {
			store.set("k" + i, "");
		}
		try (StateSnapshot snapshot = store.machine.beginSnapshot()) {
			int calls = 0;
			while (snapshot.next(Integer.MAX_VALUE) != null) {
				calls++;
			}
			assertThat(calls).isGreaterThan(10);
		}
	}

	@Test
	void containsRepliesThatExpireBeforeTheirVisit() {
		TestStore store = new TestStore();
		store.apply(TestStore.set("k", "v", Condition.ALWAYS, null), store.now().toString(), null,
				Requester.anonymous("idle"));
		byte[] before = Machines.dump(store.machine);
		byte[] snapshot = snapshot(store.machine, new Random(1), () -> {
			store.pass(RequestMemory.MAX_RETENTION.plusSeconds(1));
			store.set("k", "w");
		});
		assertThat(store.machine.replyCount()).isEqualTo(1);
		assertThat(Machines.dump(Machines.restore(snapshot))).isEqualTo(before);
	}

	@Test
	void refusesSecondSnapshotUntilFirstIsClosed() {
		TestStore store = new TestStore();
		StateSnapshot first = store.machine.beginSnapshot();
		assertThatIllegalStateException().isThrownBy(store.machine::beginSnapshot);
		first.close();
		first.close();
		assertThatIllegalStateException().isThrownBy(() -> first.next(1));
		StateSnapshot second = store.machine.beginSnapshot();
		first.close();
		assertThatIllegalStateException().isThrownBy(store.machine::beginSnapshot);
		second.close();
	}

	@Test
	void abandonedSnapshotHasNoEffect() {
		TestStore store = new TestStore();
		store.set("k", "v");
		StateSnapshot snapshot = store.machine.beginSnapshot();
		store.set("k", "w");
		snapshot.close();
		store.set("k", "x");
		assertThat(store.get("k").reply()).isEqualTo(value("x"));
		assertThat(Machines.restore(Machines.dump(store.machine)).keyCount()).isEqualTo(1);
	}

	@Test
	void restoreRejectsEveryTruncatedSnapshot() {
		RandomLog log = new RandomLog(1, 10);
		log.run(100);
		byte[] snapshot = Machines.dump(log.store.machine);
		for (int length = 0; length < snapshot.length; length++) {
			byte[] truncated = Arrays.copyOf(snapshot, length);
			assertThatExceptionOfType(StateFormatException.class).isThrownBy(() -> Machines.restore(truncated));
		}
	}

	@Test
	void restoreRejectsNewerFormat() {
		byte[] snapshot = Machines.dump(new TestStore().machine);
		snapshot[0] = 4;
		assertThatExceptionOfType(StateFormatException.class).isThrownBy(() -> Machines.restore(snapshot))
			.withMessageContaining("format of a snapshot is 4")
			.withMessageContaining("newer version");
	}

	@Property
	void damagedSnapshotFailsRestoreWithFormatException(@ForAll long seed) {
		Random random = new Random(seed);
		RandomLog log = new RandomLog(seed, 10);
		log.run(100);
		byte[] snapshot = Machines.dump(log.store.machine);
		// Not in the header, whose table size cannot be checked against the contents
		int index = 48 + random.nextInt(snapshot.length - 48);
		snapshot[index] ^= (byte) (1 << random.nextInt(8));
		try {
			Machines.restore(snapshot);
		}
		catch (StateFormatException ex) {
			assertThat(ex).hasMessageContaining("snapshot");
		}
	}

	@Test
	void countsKeysKeptUntilTakenOrClosed() {
		TestStore store = new TestStore();
		String large = "v".repeat(50_000);
		for (int i = 0; i < 40; i++) {
			store.set("k" + i, large);
		}
		try (StateSnapshot snapshot = store.machine.beginSnapshot()) {
			assertThat(snapshot.keptBytes()).isZero();
			for (int i = 0; i < 40; i++) {
				store.set("k" + i, "small");
			}
			assertThat(snapshot.keptBytes()).isBetween(1_800_000L, 2_100_000L);
			@Nullable ByteBuffer slice = snapshot.next(1 << 16);
			assertThat(slice).isNotNull();
			assertThat(slice.array()).hasSize(slice.remaining());
			assertThat(snapshot.keptBytes()).isLessThan(1_950_000L);
			snapshot.close();
			assertThat(snapshot.keptBytes()).isZero();
		}
	}

	@Test
	void keepsSystemClockReading() {
		TestStore store = new TestStore();
		store.set("k", "v");
		assertThat(store.machine.wallMillis()).isPositive().isEqualTo(store.wallMillis);
		assertThat(Machines.restore(Machines.dump(store.machine)).wallMillis()).isEqualTo(store.wallMillis);
	}

}
