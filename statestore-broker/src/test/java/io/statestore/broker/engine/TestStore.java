package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** A state machine with a proposer whose clocks tests control. */
final class TestStore {

	static final long START = 1_700_000_000_000L;

	/** Log time at the start. */
	static final long NANOS = 3_000_000_000L;

	static final long SEED = 42;

	static final long REPLY_MEMORY = 1 << 20;

	static final Reply OK = new Reply.Ok();

	static final Reply MISSING = new Reply.Missing();

	static final Reply NOT_APPLIED = Reply.Count.NOT_APPLIED;

	static final Reply NOTHING = new Reply.Count(0);

	static final Reply ONE = new Reply.Count(1);

	static final Requester CLIENT = Requester.anonymous("me");

	final List<Change> changes = new ArrayList<>();

	final StateMachine machine;

	/** Entries of the log so far, and their answers. */
	final List<LogEntry> entries = new ArrayList<>();

	final List<Answer> answers = new ArrayList<>();

	private final SeenClock seen;

	long wallMillis = START;

	/** Current log time. */
	long nanos = NANOS;

	private int requests;

	TestStore() {
		this(Quota.UNLIMITED);
	}

	TestStore(Quota quota) {
		this.machine = new StateMachine(
				(key, value, version, author) -> this.changes.add(new Change(key, value, version, author)));
		this.seen = new SeenClock(this.machine);
		start(quota, SEED, REPLY_MEMORY, null, true);
	}

	void start(Quota quota, long seed, long replyMemory, @Nullable Version after, boolean keepVolatile) {
		append(new LogEntry.Start(this.nanos, this.wallMillis, this.seen.pending(), seed, quota, replyMemory, after,
				keepVolatile));
	}

	/** Advances both clocks without removing expired keys. */
	void pass(Duration time) {
		this.nanos += time.toNanos();
		this.wallMillis += time.toMillis();
	}

	Answer append(LogEntry entry) {
		this.entries.add(entry);
		Answer answer = this.machine.apply(entry);
		this.answers.add(answer);
		return answer;
	}

	Answer apply(Command command, @Nullable String timestamp, @Nullable String fencingToken) {
		return apply(command, timestamp, fencingToken, CLIENT);
	}

	Answer apply(Command command, @Nullable String timestamp, @Nullable String fencingToken, Requester requester) {
		return (command instanceof Command.Write write)
				? append(write(write, timestamp, fencingToken, requester, this.requests++, false))
				: read(command, timestamp);
	}

	/** Returns the entry for a write, with a number as its correlation data. */
	LogEntry.Write write(Command.Write command, @Nullable String timestamp, @Nullable String fencingToken,
			Requester requester, int number, boolean persistent) {
		return new LogEntry.Write(this.nanos, this.wallMillis, this.seen.pending(), command, timestamp, fencingToken,
				requester, Bytes.of("c" + number), number, null, persistent);
	}

	private Answer read(Command command, @Nullable String timestamp) {
		this.seen.receive(timestamp, this.wallMillis);
		if (command instanceof Command.Keyed get) {
			if (this.machine.isDue(get.key(), this.nanos)) {
				expire(List.of(get.key()));
			}
		}
		else if (this.machine.nextDeadline() <= this.nanos) {
			expire(List.of());
		}
		return this.machine.read(command, null, (command instanceof Command.Ttl) ? this.nanos : this.machine.logTime());
	}

	/** Removes some expired keys. Returns whether there may be more. */
	boolean expire(int limit) {
		expire(this.machine.due(this.nanos, limit));
		return this.machine.nextDeadline() <= this.nanos;
	}

	private void expire(List<Bytes> keys) {
		append(new LogEntry.Expire(this.nanos, this.wallMillis, this.seen.pending(), keys));
	}

	/** Executes a command with a valid timestamp. */
	Answer apply(Command command) {
		return apply(command, now().toString(), null);
	}

	Answer apply(Command command, Version fencingToken) {
		return apply(command, now().toString(), fencingToken.toString());
	}

	Version now() {
		return new Version(this.wallMillis, 0, "client");
	}

	/** Returns a timestamp ahead of the machine's clock. */
	Version ahead(long millis) {
		return new Version(this.wallMillis + millis, 0, "client");
	}

	/** Returns a timestamp that may be absent, malformed, or too far ahead. */
	@Nullable String timestamp(Random random) {
		return switch (random.nextInt(12)) {
			case 0 -> null;
			case 1 -> "malformed";
			case 2 -> ahead(60_001 + random.nextInt(10_000)).toString();
			case 3 -> ahead(60_000).toString();
			default -> ahead(random.nextInt(100) - 90).toPaddedString();
		};
	}

	Answer set(String key, String value) {
		return apply(set(key, value, Condition.ALWAYS, null));
	}

	Answer set(String key, String value, Duration expiry) {
		return apply(set(key, value, Condition.ALWAYS, expiry));
	}

	Answer get(String key) {
		return apply(new Command.Get(Bytes.of(key)));
	}

	/** Returns the changes since the last call. */
	List<Change> takeChanges() {
		List<Change> result = List.copyOf(this.changes);
		this.changes.clear();
		return result;
	}

	static Command.Set set(String key, String value, Condition condition, @Nullable Duration expiry) {
		return new Command.Set(Bytes.of(key), Bytes.of(value), condition, expiry);
	}

	static Command.Del del(String key) {
		return new Command.Del(Bytes.of(key));
	}

	static Command.VDel vdel(String key, String value) {
		return new Command.VDel(Bytes.of(key), Bytes.of(value));
	}

	static Version versionOf(Answer answer) {
		assertThat(answer.version()).isNotNull();
		return answer.version();
	}

	static Reply value(String value) {
		return new Reply.Value(Bytes.of(value));
	}

	static Reply error(ErrorReason reason) {
		return new Reply.Error(reason);
	}

	record Change(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
	}

}
