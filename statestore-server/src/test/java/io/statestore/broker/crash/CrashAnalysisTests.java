package io.statestore.broker.crash;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests handmade recordings, each with one violation. */
class CrashAnalysisTests {

	private static final Bytes KEY = Bytes.of("k");

	private final Recorder recorder = new Recorder();

	/** Time of the next event. */
	private long now;

	private static Version version(long wall) {
		return new Version(wall, 0, "StateStore");
	}

	private void add(Command command, @Nullable Reply reply, long version) {
		long invoked = this.now++;
		long returned = (reply != null) ? this.now++ : Operation.NEVER;
		this.recorder
			.add(new Operation("c", command, null, invoked, returned, reply, (version > 0) ? version(version) : null));
	}

	private void set(String value, long version) {
		add(new Command.Set(KEY, Bytes.of(value)), new Reply.Ok(), version);
	}

	private void increment(Bytes key, String value, long expected, @Nullable Reply reply, long version) {
		add(new Command.Set(key, Bytes.of(value), Condition.IF_VERSION, null, Bytes.of(version(expected).toString())),
				reply, version);
	}

	private void grant(String value, Duration expiry, long version) {
		add(new Command.Set(KEY, Bytes.of(value), Condition.IF_ABSENT, expiry), new Reply.Ok(), version);
	}

	private void get(String value, long version) {
		add(new Command.Get(KEY), new Reply.Value(Bytes.of(value)), version);
	}

	private void miss() {
		add(new Command.Get(KEY), new Reply.Missing(), 0);
	}

	private void notified(String connection, @Nullable String value, long version) {
		this.recorder
			.add(new Notified(connection, KEY, (value != null) ? Bytes.of(value) : null, version(version), this.now++));
	}

	private List<String> violations(Check check) {
		return new CrashAnalysis(this.recorder).report(List.of()).violations(check);
	}

	@Test
	void acceptsCorrectRecording() {
		set("a", 1);
		notified("c/1", "a", 1);
		add(new Command.Set(KEY, Bytes.of("b")), null, 0);
		get("b", 2);
		notified("c/1", "b", 2);
		add(new Command.Del(KEY), new Reply.Count(1), 3);
		miss();
		grant("l", Duration.ofNanos(1), 4);
		this.now += 10;
		miss();
		assertThat(new CrashAnalysis(this.recorder).report(List.of()).violations()).isEmpty();
	}

	@Test
	void reportsLostWriteOnce() {
		set("a", 1);
		set("b", 2);
		get("a", 1);
		get("a", 1);
		assertThat(violations(Check.LOST_WRITES)).singleElement().asString().contains("SET k=b");
		assertThat(violations(Check.LINEARIZABILITY)).hasSize(1);
	}

	@Test
	void reportsMissingKey() {
		set("a", 1);
		miss();
		assertThat(violations(Check.LOST_WRITES)).hasSize(1);
	}

	@Test
	void unansweredDeletionExplainsAbsentKey() {
		set("a", 1);
		add(new Command.Del(KEY), null, 0);
		miss();
		assertThat(violations(Check.LOST_WRITES)).isEmpty();
		assertThat(violations(Check.LINEARIZABILITY)).isEmpty();
	}

	@Test
	void reportsLossOfOnlyNotifiedWrite() {
		add(new Command.Set(KEY, Bytes.of("a")), null, 0);
		notified("c/1", "a", 1);
		miss();
		assertThat(violations(Check.LINEARIZABILITY)).hasSize(1);
	}

	@Test
	void reportsVersionSharedByTwoChanges() {
		set("a", 1);
		set("b", 1);
		assertThat(violations(Check.REPEATED_VERSIONS)).isNotEmpty();
	}

	@Test
	void reportsVersionNotAboveEarlierVersionOfAnotherKey() {
		add(new Command.Set(Bytes.of("other"), Bytes.of("a")), new Reply.Ok(), 5);
		set("b", 4);
		assertThat(violations(Check.REPEATED_VERSIONS)).hasSize(1);
	}

	@Test
	void reportsVersionNotAboveNotifiedVersion() {
		notified("c/1", null, 5);
		set("b", 4);
		assertThat(violations(Check.REPEATED_VERSIONS)).hasSize(1);
	}

	@Test
	void reportsExpiryBeforeDeadline() {
		grant("a", Duration.ofNanos(100), 1);
		miss();
		assertThat(violations(Check.EARLY_EXPIRY)).hasSize(1);
	}

	@Test
	void reportsGrantBeforeLeaseEnds() {
		grant("a", Duration.ofNanos(100), 1);
		grant("b", Duration.ofNanos(100), 2);
		assertThat(violations(Check.EARLY_EXPIRY)).hasSize(1);
	}

	@Test
	void reportsRequestWithTwoVersions() {
		set("a", 1);
		get("a", 2);
		assertThat(violations(Check.EXECUTED_TWICE)).hasSize(1);
	}

	@Test
	void reportsRepeatedRequestWithDifferentReply() {
		this.recorder.differentReply("c");
		assertThat(violations(Check.EXECUTED_TWICE)).hasSize(1);
	}

	@Test
	void reportsRejectedWriteThatTookEffect() {
		add(new Command.Set(KEY, Bytes.of("a")), new Reply.Error(ErrorReason.QUOTA_EXCEEDED), 0);
		get("a", 1);
		assertThat(violations(Check.REJECTED_WRITES)).hasSize(1);
	}

	@Test
	void reportsLostAndRepeatedIncrement() {
		Bytes counter = Bytes.of("counter-0");
		add(new Command.Set(counter, Bytes.of("0")), new Reply.Ok(), 1);
		increment(counter, "1", 1, new Reply.Ok(), 2);
		add(new Command.Get(counter), new Reply.Value(Bytes.of("1")), 2);
		increment(counter, "2", 2, null, 0);
		assertThat(violations(Check.COUNTERS)).isEmpty();
		add(new Command.Get(counter), new Reply.Value(Bytes.of("2")), 3);
		assertThat(violations(Check.COUNTERS)).isEmpty();
		increment(counter, "2", 2, new Reply.Ok(), 4);
		increment(counter, "2", 2, new Reply.Ok(), 5);
		assertThat(violations(Check.COUNTERS)).singleElement().asString().contains("is 2 after 3 acknowledged");
		assertThat(violations(Check.LINEARIZABILITY)).hasSize(1);
		add(new Command.Get(counter), new Reply.Value(Bytes.of("9")), 6);
		assertThat(violations(Check.COUNTERS)).singleElement().asString().contains("is 9 after 3 acknowledged");
	}

	/**
	 * A REPLACE without an expiry keeps the previous value's expiry, but not an earlier
	 * expiry.
	 */
	@Test
	void replacementExplainsAbsentKeyOnlyWithEarlierExpiry() {
		set("a", 1);
		increment(KEY, "b", 1, new Reply.Ok(), 2);
		miss();
		assertThat(violations(Check.LOST_WRITES)).hasSize(1);
		grant("c", Duration.ofNanos(1), 3);
		increment(KEY, "d", 3, new Reply.Ok(), 4);
		this.now += 10;
		miss();
		assertThat(violations(Check.LOST_WRITES)).hasSize(1);
	}

	@Test
	void reportsMissedNotification() {
		set("a", 1);
		set("b", 2);
		set("c", 3);
		notified("c/1", "a", 1);
		notified("c/1", "c", 3);
		notified("c/2", "c", 3);
		assertThat(violations(Check.MISSED_NOTIFICATIONS)).hasSize(1);
	}

	@Test
	void reportsNotificationsOutOfOrder() {
		set("a", 1);
		set("b", 2);
		notified("c/1", "b", 2);
		notified("c/1", "a", 1);
		assertThat(violations(Check.REPEATED_VERSIONS)).hasSize(1);
	}

	@Test
	void reportsLostSession() {
		this.recorder.lostSession("c");
		assertThat(violations(Check.LOST_SESSIONS)).containsExactly("c");
	}

}
