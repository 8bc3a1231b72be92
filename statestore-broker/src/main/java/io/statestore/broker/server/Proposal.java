package io.statestore.broker.server;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.session.SessionChange.Disconnect;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An entry proposed to the command log, and the handler for its outcome. */
final class Proposal {

	private static final Logger logger = LoggerFactory.getLogger(Proposal.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final byte[] NONE = new byte[0];

	private final LogEntry entry;

	private final int bytes;

	private final Handler handler;

	private byte[] encoding = NONE;

	/**
	 * Outcome to report for an omitted entry, {@code null} if the entry is to be written.
	 */
	private @Nullable Runnable omission;

	/**
	 * Creates a proposal.
	 * @param bytes the number of bytes from clients in the entry
	 */
	Proposal(LogEntry entry, int bytes, Handler handler) {
		this.entry = entry;
		this.bytes = bytes;
		this.handler = handler;
	}

	/**
	 * Encodes the entry, or omits it if its request has expired or the encoding fails.
	 * Called before each attempt to write it, on any thread.
	 * @param maxBytes maximum size of an entry, in bytes
	 */
	void prepare(int maxBytes) {
		if (this.omission != null) {
			return;
		}
		try {
			if (this.handler.isExpired()) {
				this.omission = this.handler::expired;
			}
			else if (this.encoding == NONE) {
				this.encoding = LogEntryCodec.encode(this.entry);
				if (this.encoding.length > maxBytes) {
					clientLog.warn("Refused a write of {} bytes with \"the quota has been exceeded\": the limit of the "
							+ "log is {} bytes", this.encoding.length, maxBytes);
					omit(this.handler::rejected);
				}
			}
		}
		catch (RuntimeException ex) {
			logger.error("Failed to encode a write for the log; the write has no effect. This is a bug: report it with "
					+ "this stack trace", ex);
			omit(this.handler::failed);
		}
	}

	private void omit(Runnable outcome) {
		this.omission = outcome;
		this.encoding = NONE;
	}

	boolean isOmitted() {
		return this.omission != null;
	}

	byte[] encoding() {
		return this.encoding;
	}

	/** Releases the encoding after it has been written. */
	void written() {
		this.encoding = NONE;
	}

	/**
	 * Returns the size of the entry's encoding, or an estimate if it is not encoded.
	 */
	long size() {
		return (this.encoding != NONE) ? Integer.BYTES + this.encoding.length : this.bytes;
	}

	/** Returns the estimated memory of the entry and its encoding, in bytes. */
	int heldBytes() {
		return (int) Math.min(Integer.MAX_VALUE / 2, (long) this.bytes + this.encoding.length);
	}

	/**
	 * Returns whether the store cannot serve requests without the entry. An essential
	 * entry is written to a replicated log even while the disk is full. Entries that
	 * issue versions or change sessions, except at the end of a connection, are not
	 * essential, because clients can cause any number of them.
	 */
	boolean isEssential() {
		return this.entry instanceof LogEntry.Start || this.entry instanceof LogEntry.Expire
				|| this.entry instanceof LogEntry.Session session && session.change() instanceof Disconnect;
	}

	/** Returns whether to force the entry to disk regardless of the options. */
	boolean isForced() {
		return this.entry instanceof LogEntry.Session session && session.change().isForced();
	}

	/** Applies the entry after it is committed. */
	void apply(StateMachine machine) {
		this.handler.applying();
		this.handler.applied(machine.apply(this.entry));
	}

	/**
	 * Ends this proposal.
	 * @param committed whether the entry's batch is in the log
	 */
	void end(boolean committed, StateMachine machine) {
		if (this.omission != null) {
			this.omission.run();
		}
		else if (committed) {
			apply(machine);
		}
		else {
			this.handler.rejected();
		}
	}

	/**
	 * Handles the outcome of a proposal. Exactly one of {@link #applied},
	 * {@link #rejected}, {@link #failed}, or {@link #expired} is called, within the
	 * serial executor.
	 */
	interface Handler {

		/**
		 * Returns whether to omit the entry because its request has expired. Called by
		 * any thread.
		 */
		default boolean isExpired() {
			return false;
		}

		/** Called before {@link #applied}, when the entry is about to be applied. */
		default void applying() {
		}

		/**
		 * Called when the entry is applied and its changes have been passed to watchers.
		 */
		void applied(Answer answer);

		/**
		 * Called if the log does not contain the entry and never will, even after a
		 * restart.
		 */
		void rejected();

		/** Called if the entry cannot be encoded. */
		default void failed() {
			rejected();
		}

		/** Called if the entry was omitted because its request has expired. */
		default void expired() {
			rejected();
		}

	}

}
