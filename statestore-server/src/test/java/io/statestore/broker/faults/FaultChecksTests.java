package io.statestore.broker.faults;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.statestore.broker.crash.Check;
import io.statestore.broker.crash.CrashAnalysis;
import io.statestore.broker.crash.CrashReport;
import io.statestore.broker.crash.Recorder;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests deliberate defects, which the checks of {@link FaultTests} must find. */
class FaultChecksTests {

	private static final Bytes KEY = Bytes.of("k");

	private static Version version(long wall) {
		return new Version(wall, 0, "StateStore");
	}

	private static Operation set(String value, long invoked, long returned, long version) {
		return new Operation("c", new Command.Set(KEY, Bytes.of(value)), null, invoked, returned, new Reply.Ok(),
				version(version));
	}

	private static Operation get(String value, long invoked, long returned, long version) {
		return new Operation("c", new Command.Get(KEY), null, invoked, returned, new Reply.Value(Bytes.of(value)),
				version(version));
	}

	private static Operation guarded(long token, long invoked, long returned, @Nullable Reply reply) {
		return new Operation("c", new Command.Set(Bytes.of("guarded-0"), Bytes.of("v" + invoked)), version(token),
				invoked, returned, reply, (reply != null) ? version(100 + invoked) : null);
	}

	private static CrashReport report(List<Operation> history) {
		Recorder recorder = new Recorder();
		history.forEach(recorder::add);
		return new CrashAnalysis(recorder).report(List.of());
	}

	/**
	 * A deposed leader answers from its state, although the new leader has accepted a
	 * write.
	 */
	@Test
	void reportsReadFromOldLeader() {
		CrashReport report = report(List.of(set("a", 0, 1, 1), set("b", 2, 3, 2), get("a", 4, 5, 1)));
		assertThat(report.violations(Check.LINEARIZABILITY)).hasSize(1);
		assertThat(report.violations(Check.LOST_WRITES)).hasSize(1);
	}

	/** The same read, while the write is in progress or its outcome is unknown. */
	@Test
	void acceptsReadFromOldLeaderBeforeWriteEnds() {
		assertThat(report(List.of(set("a", 0, 1, 1), set("b", 2, 6, 2), get("a", 4, 5, 1))).violations()).isEmpty();
		Operation unknown = new Operation("c", new Command.Set(KEY, Bytes.of("b")), null, 2, Operation.NEVER, null,
				null);
		assertThat(report(List.of(set("a", 0, 1, 1), unknown, get("a", 4, 5, 1))).violations()).isEmpty();
	}

	/**
	 * Two reads of a write with an unknown outcome. Once the write has been seen, it
	 * stays.
	 */
	@Test
	void reportsReadFromOldLeaderAfterUnackedWriteWasSeen() {
		Operation unknown = new Operation("c", new Command.Set(KEY, Bytes.of("b")), null, 2, Operation.NEVER, null,
				null);
		CrashReport report = report(List.of(set("a", 0, 1, 1), unknown, get("b", 3, 4, 2), get("a", 5, 6, 1)));
		assertThat(report.violations(Check.LINEARIZABILITY)).hasSize(1);
	}

	@Test
	void injectedStaleReadIsReported() {
		List<Operation> history = List.of(set("a", 0, 1, 1), set("b", 2, 3, 2), get("b", 4, 5, 2));
		assertThat(report(history).violations()).isEmpty();
		List<Operation> defective = Objects.requireNonNull(StaleRead.inject(history, new Random(1)));
		assertThat(report(defective).violations(Check.LINEARIZABILITY)).hasSize(1);
	}

	@Test
	void reportsTwoValidHolders() {
		Holding first = new Holding("lock", "a", version(1), 0, 10);
		assertThat(Holding.overlaps(List.of(first, new Holding("lock", "b", version(2), 10, 20)))).isEmpty();
		assertThat(Holding.overlaps(List.of(first, new Holding("other", "b", version(2), 5, 20)))).isEmpty();
		assertThat(Holding.overlaps(List.of(first, new Holding("lock", "b", version(2), 9, 20)))).hasSize(1);
	}

	@Test
	void reportsNonIncreasingTokens() {
		Holding first = new Holding("lock", "a", version(2), 0, 10);
		assertThat(Holding.repeatedTokens(List.of(first, new Holding("lock", "b", version(3), 10, 20)))).isEmpty();
		assertThat(Holding.repeatedTokens(List.of(first, new Holding("lock", "b", version(2), 10, 20)))).hasSize(1);
		assertThat(Holding.repeatedTokens(List.of(first, new Holding("lock", "b", version(1), 10, 20)))).hasSize(1);
	}

	@Test
	void reportsStaleWrite() {
		Operation newer = guarded(2, 0, 1, new Reply.Ok());
		assertThat(StaleWrites.accepted(List.of(newer, guarded(1, 2, 3, new Reply.Ok())))).hasSize(1);
		assertThat(StaleWrites.accepted(List.of(newer, guarded(1, 0, 3, new Reply.Ok())))).isEmpty();
		assertThat(StaleWrites.accepted(List.of(newer, guarded(1, 2, Operation.NEVER, null)))).isEmpty();
	}

	/** A monotonic clock's jump excuses early expiry, but nothing else. */
	@Test
	void allowsEarlyExpiryOnlyByClockJump() {
		Jumps jumps = new Jumps();
		long now = System.nanoTime();
		jumps.add(Duration.ofSeconds(3));
		Operation lease = new Operation("c",
				new Command.Set(KEY, Bytes.of("a"), Condition.IF_ABSENT, Duration.ofSeconds(5)), null, now, now + 1,
				new Reply.Ok(), version(1));
		Command.Set allowed = Objects.requireNonNull(jumps.allow(lease).set());
		assertThat(allowed.expiry()).isEqualTo(Duration.ofSeconds(2));
		Operation later = new Operation("c", lease.command(), null, now + 60_000_000_000L, now + 60_000_000_001L,
				new Reply.Ok(), version(1));
		assertThat(jumps.allow(later)).isSameAs(later);
	}

}
