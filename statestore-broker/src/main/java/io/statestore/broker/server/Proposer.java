package io.statestore.broker.server;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.SeenClock;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Appends entries to the command log, with the readings of both clocks. Used only within
 * the serial executor.
 */
final class Proposer {

	private final CommandLog log;

	private final LogClock logClock;

	private final LongSupplier wallClock;

	private final SeenClock seen;

	private final StateStoreServerOptions options;

	/** Version that later ones must exceed, {@code null} if the machine knows it. */
	private @Nullable Version after;

	Proposer(CommandLog log, StateMachine machine, LogClock logClock, StateStoreServerOptions options) {
		this.log = log;
		this.logClock = logClock;
		this.options = options;
		this.wallClock = options.wallClock();
		this.seen = new SeenClock(machine);
	}

	/** Receives the timestamp of a command that is not logged. */
	void receive(@Nullable String timestamp) {
		if (timestamp != null) {
			this.seen.receive(timestamp, this.wallClock.getAsLong());
		}
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last the version
	 */
	void startAfter(Version last) {
		this.after = last;
	}

	/**
	 * Appends a write.
	 * @param call the request
	 * @param command the command of the request
	 * @param nanos the time in nanoseconds of the monotonic clock
	 * @param handler receives the outcome
	 * @return the position in the log
	 */
	long write(Call call, Command.Write command, long nanos, WriteHandler handler) {
		IncomingRequest request = call.request();
		LogEntry entry = new LogEntry.Write(this.logClock.at(nanos), this.wallClock.getAsLong(), this.seen.pending(),
				command, call.timestamp(), call.fencingToken(), request.connection().clientId(), call.correlationData(),
				call.digest(), request.messageExpiry(), call.isPersistent(), null, null);
		return append(new WriteProposal(call, entry, handler));
	}

	/**
	 * Appends the removal of keys.
	 * @param keys keys that are due, possibly none
	 * @return the position in the log
	 */
	long expire(List<Bytes> keys, Runnable applied, Runnable rejected) {
		LogEntry entry = new LogEntry.Expire(this.logClock.now(), this.wallClock.getAsLong(), this.seen.pending(),
				keys);
		int bytes = 0;
		for (Bytes key : keys) {
			bytes += key.length();
		}
		return append(new InternalProposal(entry, bytes, (answer) -> applied.run(), rejected));
	}

	/**
	 * Appends the issue of a version.
	 * @return the position in the log
	 */
	long issue(Consumer<Answer> applied, Runnable rejected) {
		LogEntry entry = new LogEntry.Issue(this.logClock.now(), this.wallClock.getAsLong(), this.seen.pending());
		return append(new InternalProposal(entry, 0, applied, rejected));
	}

	private long append(Proposal proposal) {
		Version after = this.after;
		if (after != null) {
			LogEntry entry = StoreStart.entry(this.options, proposal.entry().logTime(), proposal.entry().wallMillis(),
					after, true);
			// In the same batch, so that both are committed or neither
			this.log.append(new InternalProposal(entry, 0, (answer) -> startedAfter(after), () -> {
			}));
		}
		return this.log.append(proposal);
	}

	private void startedAfter(Version last) {
		if (last.equals(this.after)) {
			this.after = null;
		}
	}

	/** Receives the outcome of a write. */
	interface WriteHandler {

		void applied(Call call, Answer answer);

		void rejected(Call call);

		void failed(Call call);

	}

	/** A request of a client. */
	private record WriteProposal(Call call, LogEntry entry, WriteHandler handler) implements Proposal {

		@Override
		public int bytes() {
			return this.call.request().payload().length();
		}

		@Override
		public void applied(Answer answer) {
			this.handler.applied(this.call, answer);
		}

		@Override
		public void rejected() {
			this.handler.rejected(this.call);
		}

		@Override
		public void failed() {
			this.handler.failed(this.call);
		}

	}

}
