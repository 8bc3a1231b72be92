package io.statestore.broker.linearizability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Handmade histories. Times are in nanoseconds, as in recorded histories. */
class LinearizabilityCheckerTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Reply MISSING = new Reply.Missing();

	private static final Reply OK = new Reply.Ok();

	private static final Reply NOT_APPLIED = Reply.Count.NOT_APPLIED;

	private static Operation operation(Command command, long invoked, long returned, Reply reply, long version) {
		return new Operation("c", command, null, invoked, returned, reply, (version > 0) ? version(version) : null);
	}

	private static Version version(long wall) {
		return new Version(wall, 0, "StateStore");
	}

	private static Operation set(String value, long invoked, long returned, long version) {
		return operation(new Command.Set(KEY, Bytes.of(value)), invoked, returned, OK, version);
	}

	private static Operation get(String value, long invoked, long returned, long version) {
		return operation(new Command.Get(KEY), invoked, returned, new Reply.Value(Bytes.of(value)), version);
	}

	private static Operation miss(long invoked, long returned) {
		return operation(new Command.Get(KEY), invoked, returned, MISSING, 0);
	}

	private static Operation delete(long invoked, long returned, long number, long version) {
		return operation(new Command.Del(KEY), invoked, returned, new Reply.Count(number), version);
	}

	private static Operation setIfAbsent(String value, long invoked, long returned, Reply reply, long version) {
		return operation(new Command.Set(KEY, Bytes.of(value), Condition.IF_ABSENT, null), invoked, returned, reply,
				version);
	}

	private static Operation lease(String holder, Duration expiry, long invoked, long returned, long version) {
		return operation(new Command.Set(KEY, Bytes.of(holder), Condition.IF_ABSENT, expiry), invoked, returned, OK,
				version);
	}

	private static Operation fenced(String value, long token, long invoked, long returned, Reply reply, long version) {
		return new Operation("c", new Command.Set(KEY, Bytes.of(value)), version(token), invoked, returned, reply,
				(version > 0) ? version(version) : null);
	}

	private static Command replacement(String value, long expected) {
		return new Command.Set(KEY, Bytes.of(value), Condition.IF_VERSION, null,
				Bytes.of(version(expected).toString()));
	}

	private static Operation replace(String value, long expected, long invoked, long returned, Reply reply,
			long version) {
		return operation(replacement(value, expected), invoked, returned, reply, version);
	}

	private static Operation unanswered(Command command, long invoked) {
		return new Operation("c", command, null, invoked, Operation.NEVER, null, null);
	}

	private static Operation unansweredSet(String value, long invoked) {
		return unanswered(new Command.Set(KEY, Bytes.of(value)), invoked);
	}

	private static boolean isLinearizable(Operation... history) {
		return isLinearizable(Arrays.asList(history));
	}

	private static boolean isLinearizable(List<Operation> history) {
		return LinearizabilityChecker.check(history).isEmpty();
	}

	@Test
	void acceptsSequentialHistory() {
		assertThat(isLinearizable(miss(0, 1), set("a", 2, 3, 1), get("a", 4, 5, 1), delete(6, 7, 1, 2), miss(8, 9),
				delete(10, 11, 0, 0)))
			.isTrue();
	}

	@Test
	void acceptsEitherOrderOfOverlappingOperations() {
		assertThat(isLinearizable(set("a", 0, 10, 1), miss(0, 10))).isTrue();
		assertThat(isLinearizable(set("a", 0, 10, 1), get("a", 0, 10, 1))).isTrue();
		assertThat(isLinearizable(set("a", 0, 10, 2), set("b", 0, 10, 1), get("a", 11, 12, 2))).isTrue();
	}

	@Test
	void rejectsLostWrite() {
		assertThat(isLinearizable(set("a", 0, 1, 1), miss(2, 3))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), set("b", 2, 3, 2), get("a", 4, 5, 1))).isFalse();
	}

	@Test
	void rejectsReadOfFutureWrite() {
		assertThat(isLinearizable(get("a", 0, 1, 1), set("a", 2, 3, 1))).isFalse();
	}

	@Test
	void rejectsStaleReadAmongOverlappingReads() {
		assertThat(isLinearizable(set("a", 0, 1, 1), set("b", 2, 20, 2), get("b", 3, 5, 2), get("a", 6, 8, 1)))
			.isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), set("b", 2, 20, 2), get("b", 3, 7, 2), get("a", 6, 8, 1)))
			.isTrue();
	}

	@Test
	void rejectsWriteExecutedTwice() {
		assertThat(isLinearizable(set("a", 0, 1, 1), set("b", 2, 3, 2), get("a", 4, 5, 3))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), delete(2, 9, 1, 2), setIfAbsent("b", 3, 4, OK, 3), miss(5, 6)))
			.isFalse();
	}

	@Test
	void rejectsResurrectedValue() {
		assertThat(isLinearizable(set("a", 0, 1, 1), delete(2, 3, 1, 2), get("a", 4, 5, 1))).isFalse();
	}

	@Test
	void rejectsRefusedWriteThatTookEffect() {
		Reply.Error full = new Reply.Error(ErrorReason.QUOTA_EXCEEDED);
		Operation refused = operation(new Command.Set(KEY, Bytes.of("a")), 0, 1, full, 0);
		assertThat(isLinearizable(refused, miss(2, 3))).isTrue();
		assertThat(isLinearizable(refused, get("a", 2, 3, 1))).isFalse();
	}

	@Test
	void rejectsDecreasingVersions() {
		assertThat(isLinearizable(set("a", 0, 1, 2), set("b", 2, 3, 1))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 2), delete(2, 3, 1, 2))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 2), delete(2, 3, 1, 4), set("b", 4, 5, 3))).isFalse();
	}

	@Test
	void rejectsReadOfWrongVersion() {
		assertThat(isLinearizable(set("a", 0, 1, 1), get("a", 2, 3, 2))).isFalse();
	}

	@Test
	void rejectsSecondGrant() {
		assertThat(isLinearizable(setIfAbsent("a", 0, 10, OK, 1), setIfAbsent("b", 0, 10, OK, 2))).isFalse();
		assertThat(isLinearizable(setIfAbsent("a", 0, 10, OK, 1), setIfAbsent("b", 0, 10, Reply.Count.NOT_APPLIED, 1)))
			.isTrue();
	}

	@Test
	void rejectsRefusedGrantOnAbsentKey() {
		assertThat(isLinearizable(setIfAbsent("a", 0, 1, Reply.Count.NOT_APPLIED, 1))).isFalse();
	}

	@Test
	void acceptsEitherOutcomeOfUnansweredWrite() {
		assertThat(isLinearizable(unansweredSet("a", 0), miss(1, 2))).isTrue();
		assertThat(isLinearizable(unansweredSet("a", 0), get("a", 1, 2, 1))).isTrue();
		assertThat(isLinearizable(unansweredSet("a", 0), miss(1, 2), get("a", 3, 4, 1))).isTrue();
		assertThat(isLinearizable(set("a", 0, 1, 1), unanswered(new Command.Del(KEY), 2), miss(3, 4))).isTrue();
	}

	@Test
	void rejectsUnansweredWriteThatTookEffectTwice() {
		assertThat(isLinearizable(unansweredSet("a", 0), get("a", 1, 2, 1), miss(3, 4))).isFalse();
		assertThat(isLinearizable(unansweredSet("a", 0), get("a", 1, 2, 1), delete(3, 4, 1, 2), get("a", 5, 6, 3)))
			.isFalse();
	}

	@Test
	void rejectsUnansweredWriteBeforeItWasSent() {
		assertThat(isLinearizable(get("a", 0, 1, 1), unansweredSet("a", 2))).isFalse();
	}

	@Test
	void rejectsUnansweredWriteAfterItsLatestTime() {
		Operation write = new Operation("c", new Command.Set(KEY, Bytes.of("a")), null, 0, 5, null, null);
		assertThat(isLinearizable(write, miss(1, 2), get("a", 3, 4, 1))).isTrue();
		assertThat(isLinearizable(write, miss(6, 7), get("a", 8, 9, 1))).isFalse();
		assertThat(isLinearizable(write, miss(1, 2), get("a", 8, 9, 1))).isTrue();
	}

	@Test
	void unansweredReadChangesNothing() {
		assertThat(isLinearizable(set("a", 0, 1, 1), unanswered(new Command.Get(KEY), 2), miss(3, 4))).isFalse();
	}

	@Test
	void rejectsTwoVersionsForUnansweredWrite() {
		assertThat(isLinearizable(unansweredSet("a", 0), get("a", 1, 2, 1), get("a", 3, 4, 2))).isFalse();
	}

	@Test
	void acceptsExpiryAfterDeadlineOnly() {
		Operation lease = lease("a", Duration.ofNanos(100), 10, 20, 1);
		assertThat(isLinearizable(lease, miss(100, 109))).isFalse();
		assertThat(isLinearizable(lease, miss(100, 110))).isTrue();
		assertThat(isLinearizable(lease, get("a", 500, 510, 1))).isTrue();
		assertThat(isLinearizable(lease, miss(120, 130), get("a", 140, 150, 1))).isFalse();
	}

	@Test
	void rejectsGrantBeforeLeaseEnds() {
		Operation lease = lease("a", Duration.ofNanos(100), 10, 20, 1);
		assertThat(isLinearizable(lease, lease("b", Duration.ofNanos(100), 50, 60, 2))).isFalse();
		assertThat(isLinearizable(lease, lease("b", Duration.ofNanos(100), 50, 115, 2))).isTrue();
	}

	@Test
	void renewalMovesDeadline() {
		Operation lease = lease("a", Duration.ofNanos(100), 10, 20, 1);
		Operation renewal = operation(
				new Command.Set(KEY, Bytes.of("a"), Condition.IF_ABSENT_OR_EQUAL, Duration.ofNanos(100)), 80, 90, OK,
				2);
		assertThat(isLinearizable(lease, renewal, miss(150, 170))).isFalse();
		assertThat(isLinearizable(lease, renewal, miss(150, 180))).isTrue();
	}

	@Test
	void comparesFencingTokens() {
		Reply.Error older = new Reply.Error(ErrorReason.FENCING_TOKEN_LOWER_VERSION);
		Reply.Error required = new Reply.Error(ErrorReason.FENCING_TOKEN_REQUIRED);
		Operation first = fenced("a", 50, 0, 1, OK, 100);
		assertThat(isLinearizable(first, fenced("b", 40, 2, 3, older, 0))).isTrue();
		assertThat(isLinearizable(first, fenced("b", 40, 2, 3, OK, 101))).isFalse();
		assertThat(isLinearizable(first, fenced("b", 60, 2, 3, older, 0))).isFalse();
		assertThat(isLinearizable(first, operation(new Command.Del(KEY), 2, 3, required, 0))).isTrue();
		assertThat(isLinearizable(first, delete(2, 3, 1, 101))).isFalse();
	}

	@Test
	void acceptsReplacementOfExpectedVersion() {
		assertThat(isLinearizable(set("a", 0, 1, 1), replace("b", 1, 2, 3, OK, 2), get("b", 4, 5, 2))).isTrue();
		assertThat(isLinearizable(set("a", 0, 1, 1), replace("b", 1, 2, 9, OK, 2),
				replace("c", 1, 3, 8, NOT_APPLIED, 2), get("b", 10, 11, 2)))
			.isTrue();
		assertThat(isLinearizable(replace("b", 1, 0, 1, new Reply.Count(0), 0), miss(2, 3))).isTrue();
	}

	/** Two clients have read the same counter, and both increments are acknowledged. */
	@Test
	void rejectsLostUpdate() {
		Operation first = replace("1", 1, 2, 9, OK, 2);
		Operation second = replace("1", 1, 3, 8, OK, 3);
		assertThat(isLinearizable(set("0", 0, 1, 1), first, second)).isFalse();
		assertThat(isLinearizable(set("0", 0, 1, 1), first, replace("2", 2, 3, 8, OK, 3))).isTrue();
		assertThat(isLinearizable(set("0", 0, 1, 1), first, set("5", 3, 8, 3), get("1", 10, 11, 2))).isFalse();
	}

	private static Operation increment(long delta, long invoked, long returned, long sum, long version) {
		return operation(new Command.Increment(KEY, delta), invoked, returned, new Reply.Count(sum), version);
	}

	@Test
	void rejectsLostOrRepeatedIncrement() {
		Operation first = increment(3, 0, 9, 3, 1);
		assertThat(isLinearizable(first, increment(-5, 1, 8, -2, 2), get("-2", 10, 11, 2))).isTrue();
		assertThat(isLinearizable(first, increment(-5, 1, 8, -5, 2))).isFalse();
		assertThat(isLinearizable(first, increment(-5, 1, 8, -2, 2), get("3", 10, 11, 1))).isFalse();
		Operation unknown = unanswered(new Command.Increment(KEY, 1), 1);
		assertThat(isLinearizable(first, unknown, get("3", 10, 11, 1))).isTrue();
		assertThat(isLinearizable(first, unknown, get("4", 10, 11, 2))).isTrue();
		assertThat(isLinearizable(first, unknown, get("5", 10, 11, 2))).isFalse();
	}

	@Test
	void rejectsReplacementOfAnotherVersion() {
		assertThat(isLinearizable(set("a", 0, 1, 1), replace("b", 4, 2, 3, OK, 5))).isFalse();
		assertThat(isLinearizable(replace("b", 1, 2, 3, OK, 2))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), delete(2, 3, 1, 2), replace("b", 1, 4, 5, OK, 3))).isFalse();
	}

	@Test
	void rejectsRefusedReplacementOfExpectedVersion() {
		assertThat(isLinearizable(set("a", 0, 1, 1), replace("b", 1, 2, 3, NOT_APPLIED, 1))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), replace("b", 1, 2, 3, new Reply.Count(0), 0))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), replace("b", 4, 2, 3, NOT_APPLIED, 1), get("b", 4, 5, 1)))
			.isFalse();
	}

	@Test
	void refusedReplacementReadsPresentValue() {
		Reply present = new Reply.Value(Bytes.of("b"));
		Operation refused = replace("c", 1, 3, 8, present, 2);
		assertThat(isLinearizable(set("a", 0, 1, 1), set("b", 2, 3, 2), refused)).isTrue();
		assertThat(isLinearizable(set("a", 0, 1, 1), refused)).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), set("b", 2, 3, 2), set("d", 4, 5, 3),
				replace("c", 1, 6, 8, present, 2)))
			.isFalse();
		assertThat(isLinearizable(set("b", 0, 1, 2), replace("c", 2, 3, 8, present, 2))).isFalse();
	}

	@Test
	void acceptsEitherOutcomeOfUnansweredReplacement() {
		Operation unknown = unanswered(replacement("b", 1), 2);
		assertThat(isLinearizable(set("a", 0, 1, 1), unknown, get("a", 3, 4, 1))).isTrue();
		assertThat(isLinearizable(set("a", 0, 1, 1), unknown, get("b", 3, 4, 2))).isTrue();
		assertThat(isLinearizable(set("a", 0, 1, 1), unknown, get("b", 3, 4, 2), get("a", 5, 6, 1))).isFalse();
		assertThat(isLinearizable(set("a", 0, 1, 1), set("c", 2, 3, 2), unknown, get("b", 4, 9, 3), get("b", 5, 8, 3)))
			.isFalse();
	}

	/** A REPLACE reveals the version that an unanswered write has given to a key. */
	@Test
	void learnsUnansweredWriteVersionFromReplacement() {
		assertThat(isLinearizable(unansweredSet("a", 0), replace("b", 1, 2, 3, OK, 2), get("b", 4, 5, 2))).isTrue();
		assertThat(isLinearizable(set("x", 0, 1, 3), unansweredSet("a", 2), replace("b", 2, 3, 4, OK, 4))).isFalse();
		assertThat(isLinearizable(unansweredSet("a", 0), replace("b", 3, 2, 3, OK, 2))).isFalse();
		assertThat(isLinearizable(unansweredSet("a", 0), unanswered(replacement("b", 2), 1), get("b", 2, 3, 1)))
			.isFalse();
	}

	@Test
	void replacementKeepsDeadline() {
		Operation lease = lease("a", Duration.ofNanos(100), 10, 20, 1);
		Operation replaced = replace("b", 1, 80, 90, OK, 2);
		assertThat(isLinearizable(lease, replaced, miss(150, 160))).isTrue();
		assertThat(isLinearizable(lease, replaced, miss(95, 105))).isFalse();
		Operation prolonged = operation(new Command.Set(KEY, Bytes.of("b"), Condition.IF_VERSION, Duration.ofNanos(100),
				Bytes.of(version(1).toString())), 80, 90, OK, 2);
		assertThat(isLinearizable(lease, prolonged, miss(150, 160))).isFalse();
	}

	@Test
	void explainsFailure() {
		assertThat(LinearizabilityChecker.check(List.of(set("a", 0, 1, 1), miss(2, 3)))).containsOnlyKeys(KEY)
			.hasValueSatisfying(new org.assertj.core.api.Condition<>(
					(text) -> text.contains("SET k=a") && text.contains("GET k"), "names the operations"));
	}

	/** A key that many unanswered grants may have set in between. */
	@Test
	@Timeout(20)
	void decidesHistoryWithManyUnansweredGrants() {
		List<Operation> history = new ArrayList<>();
		for (int i = 1; i <= 100; i++) {
			long start = 1_000L * i;
			for (int open = 0; open < 3; open++) {
				history.add(new Operation("c",
						new Command.Set(KEY, Bytes.of("u" + open), Condition.IF_ABSENT, Duration.ofNanos(1)), null,
						start, start + 500, null, null));
			}
			history.add(set("v" + i, start, start + 900, 2 * i));
			history.add(miss(start, start + 900));
			history.add(get("v" + i, start, start + 900, 2 * i));
			history.add(delete(start + 901, start + 902, 1, 2 * i + 1));
		}
		assertThat(isLinearizable(history)).isTrue();
		history.add(get("v1", 200_000, 200_001, 2));
		assertThat(isLinearizable(history)).isFalse();
	}

	/** Twelve operations overlap at any time, and many have no reply. */
	@Test
	@Timeout(20)
	void decidesLongHistory() {
		List<Operation> history = new ArrayList<>();
		Random random = new Random(1);
		for (int i = 1; i <= 20_000; i++) {
			long start = 10L * i - random.nextInt(60);
			long end = 10L * i + 1 + random.nextInt(60);
			history.add((i % 2 == 0) ? get("v" + (i - 1), start, end, i - 1) : set("v" + i, start, end, i));
			if (i % 500 == 0) {
				history.add(unansweredSet("u" + i, start));
				history.add(unanswered(new Command.VDel(KEY, Bytes.of("none")), start));
			}
		}
		assertThat(isLinearizable(history)).isTrue();
		history.add(get("v100", 10L * 20_000, 10L * 20_001, 100));
		assertThat(isLinearizable(history)).isFalse();
	}

}
