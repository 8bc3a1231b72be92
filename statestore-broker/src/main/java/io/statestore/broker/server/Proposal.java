package io.statestore.broker.server;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.session.SessionChange.Disconnect;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An entry that was proposed to the command log, and the handler of its outcome. */
final class Proposal {

	private static final Logger logger = LoggerFactory.getLogger(Proposal.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final byte[] NONE = new byte[0];

	private final LogEntry entry;

	private final int bytes;

	private final Handler handler;

	private byte[] encoding = NONE;

	/** Outcome of an entry that is left out, {@code null} if it is to be written. */
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
	 * Encodes the entry, or leaves it out if its request has expired, or if that fails.
	 * Called before each attempt to write it, on any thread.
	 * @param maxBytes maximum size of an entry
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
			logger.error("A command cannot be written to the log; continuing with the next one", ex);
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

	/** Releases the encoding, which has been written. */
	void written() {
		this.encoding = NONE;
	}

	/**
	 * Returns the size of the entry: that of its encoding, or an estimate without one.
	 */
	long size() {
		return (this.encoding != NONE) ? Integer.BYTES + this.encoding.length : this.bytes;
	}

	/** Returns the memory of the entry and its encoding, in bytes. */
	int heldBytes() {
		return (int) Math.min(Integer.MAX_VALUE / 2, (long) this.bytes + this.encoding.length);
	}

	/**
	 * Returns whether the store cannot serve without the entry. It is then written to a
	 * replicated log even while the disk is full. Versions are issued, and sessions
	 * changed, at the request of clients.
	 */
	boolean isEssential() {
		return this.entry instanceof LogEntry.Start || this.entry instanceof LogEntry.Expire
				|| this.entry instanceof LogEntry.Session session && session.change() instanceof Disconnect;
	}

	/** Returns whether to force the entry to the disk, whatever the options say. */
	boolean isForced() {
		return this.entry instanceof LogEntry.Session session && session.change().isForced();
	}

	/** Applies the entry, which is committed. */
	void apply(StateMachine machine) {
		this.handler.applying();
		this.handler.applied(machine.apply(this.entry));
	}

	/**
	 * Ends this proposal.
	 * @param committed whether the batch of the entry is in the log
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
	 * {@link #rejected}, {@link #failed}, and {@link #expired} is called, within the
	 * serial executor.
	 */
	interface Handler {

		/**
		 * Returns whether to leave out the entry because its request has expired. Called
		 * by any thread.
		 */
		default boolean isExpired() {
			return false;
		}

		/** Called before {@link #applied}, when the entry is about to be applied. */
		default void applying() {
		}

		/** Called when the entry is applied, and its changes were passed to watchers. */
		void applied(Answer answer);

		/** Called if the log does not contain the entry, even after a restart. */
		void rejected();

		/** Called if the entry cannot be encoded. */
		default void failed() {
			rejected();
		}

		/** Called if the entry was left out because its request has expired. */
		default void expired() {
			rejected();
		}

	}

}
