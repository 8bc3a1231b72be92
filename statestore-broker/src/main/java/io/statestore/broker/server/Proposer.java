package io.statestore.broker.server;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.SeenClock;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.SessionChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Appends entries to the command log, with readings of both clocks. Used only within the
 * serial executor.
 */
final class Proposer {

	private final CommandLog log;

	private final LogClock logClock;

	private final LongSupplier wallClock;

	private final SeenClock seen;

	private final StateMachine machine;

	private final StateStoreServerOptions options;

	/**
	 * Version that later versions must exceed, {@code null} once the machine has reached
	 * it.
	 */
	private @Nullable Version after;

	Proposer(CommandLog log, StateMachine machine, LogClock logClock, StateStoreServerOptions options) {
		this.log = log;
		this.logClock = logClock;
		this.machine = machine;
		this.options = options;
		this.wallClock = options.wallClock();
		this.seen = new SeenClock(machine);
	}

	/** Returns the log to which entries are appended. */
	CommandLog log() {
		return this.log;
	}

	/** Returns the machine that applies the entries. */
	StateMachine machine() {
		return this.machine;
	}

	/** Returns the log's clock. */
	LogClock logClock() {
		return this.logClock;
	}

	/** Receives the timestamp of a command that is not logged. */
	void receive(@Nullable String timestamp) {
		if (timestamp != null) {
			this.seen.receive(timestamp, this.wallClock.getAsLong());
		}
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last the version to exceed
	 */
	void startAfter(Version last) {
		this.after = new Version(last.wallMillis(), last.counter(), StateMachine.BEFORE_ALL.nodeId());
	}

	/**
	 * Returns a version that is not less than any issued version, for notifications that
	 * cannot have their own version.
	 */
	Version lastVersion() {
		Version last = this.machine.lastVersion();
		Version after = this.after;
		return (after != null && after.compareTo(last) > 0) ? after : last;
	}

	/** Returns the reading that the next entry carries, see {@link LogEntry#seen()}. */
	private @Nullable Version seen() {
		Version seen = this.seen.pending();
		Version after = this.after;
		if (after == null) {
			return seen;
		}
		if (after.compareTo(this.machine.lastVersion()) <= 0) {
			this.after = null;
			return seen;
		}
		return (seen != null && seen.compareTo(after) > 0) ? seen : after;
	}

	/**
	 * Appends a write.
	 * @param call the request
	 * @param command the command in the request
	 * @param nanos the monotonic clock's current reading, in nanoseconds
	 * @return the position in the log
	 */
	long write(Call call, Command.Write command, long nanos, Proposal.Handler handler) {
		IncomingRequest request = call.request();
		LogEntry entry = new LogEntry.Write(this.logClock.at(nanos), this.wallClock.getAsLong(), seen(), command,
				call.timestamp(), call.fencingToken(), request.connection().requester(), call.correlationData(),
				call.digest(), request.messageExpiry(), call.isPersistent());
		return this.log.append(new Proposal(entry, request.bytes(), handler));
	}

	/**
	 * Appends the removal of keys.
	 * @param keys keys that are due, possibly none
	 * @param heldBytes the number of bytes from clients that the actions hold
	 * @return the position in the log
	 */
	long expire(List<Bytes> keys, int heldBytes, Runnable applied, Runnable rejected) {
		LogEntry entry = new LogEntry.Expire(this.logClock.now(), this.wallClock.getAsLong(), seen(), keys);
		int bytes = heldBytes;
		for (Bytes key : keys) {
			bytes += key.length();
		}
		return append(entry, bytes, (answer) -> applied.run(), rejected);
	}

	/**
	 * Appends the start of a leader, with the limits of this node. Nothing is lost when
	 * leadership changes, so versions and log time simply continue. Only the first leader
	 * of a cluster that begins with a backup raises the versions.
	 */
	void start(Runnable applied, Runnable rejected) {
		long wallMillis = this.wallClock.getAsLong();
		LogEntry entry = StoreStart.entry(this.options, this.logClock.now(), wallMillis,
				StoreStart.aboveUnrestored(this.machine, wallMillis), true, 0);
		append(entry, 0, (answer) -> applied.run(), rejected);
	}

	/** Appends an entry that issues a version. */
	void issue(Consumer<Answer> applied, Runnable rejected) {
		LogEntry entry = new LogEntry.Issue(this.logClock.now(), this.wallClock.getAsLong(), seen());
		append(entry, 0, applied, rejected);
	}

	/**
	 * Appends a session change.
	 * @param bytes the number of bytes from clients in the change
	 * @return the position in the log
	 */
	long change(SessionChange change, int bytes, Consumer<Applied> applied, Runnable rejected) {
		LogEntry entry = new LogEntry.Session(this.logClock.now(), this.wallClock.getAsLong(), seen(), change);
		return append(entry, bytes, (answer) -> applied.accept(this.machine.applied()), rejected);
	}

	private long append(LogEntry entry, int bytes, Consumer<Answer> applied, Runnable rejected) {
		return this.log.append(new Proposal(entry, bytes, new Proposal.Handler() {

			@Override
			public void applied(Answer answer) {
				applied.accept(answer);
			}

			@Override
			public void rejected() {
				rejected.run();
			}

		}));
	}

}
