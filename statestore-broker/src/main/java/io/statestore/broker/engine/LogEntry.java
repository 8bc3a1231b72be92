package io.statestore.broker.engine;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.session.SessionChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the command log: one command, with everything that its result depends on
 * besides the state. The proposer of an entry reads the clocks; {@link StateMachine} does
 * not.
 * <p>
 * <i>Log time</i> is the time by which keys expire, in nanoseconds. It never decreases
 * from one entry to the next, and does not pass while the store is down. A key may
 * therefore expire late, but never early.
 */
public sealed interface LogEntry {

	/**
	 * Returns the log time of this entry.
	 * @return nanoseconds, 0 or more
	 */
	long logTime();

	/**
	 * Returns the reading of the proposer's system clock, for versions.
	 * @return milliseconds since 1970; may jump
	 */
	long wallMillis();

	/**
	 * Returns the latest clock reading received with a command that is not logged, such
	 * as GET. It is merged first, so that the versions of this entry are greater
	 * (protocol section 10).
	 * @return the reading, or {@code null} if the clock of the machine is not behind, see
	 * {@link SeenClock}
	 */
	@Nullable Version seen();

	/**
	 * A SET, DEL, or VDEL.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock
	 * @param seen an earlier clock reading to merge, or {@code null}
	 * @param command the command
	 * @param timestamp the text of {@code __ts}, or {@code null} if absent
	 * @param fencingToken the text of {@code __ft}, or {@code null} if absent
	 * @param requester the client that sent the request
	 * @param correlationData the correlation data of the request
	 * @param digest a digest of the payload, which distinguishes requests with the same
	 * correlation data
	 * @param messageExpiry the message expiry interval of the request, or {@code null} if
	 * absent
	 * @param persistent whether the request asks that the key survives a restart
	 * @param traceContext reserved for the trace of the request, or {@code null} if
	 * absent
	 */
	record Write(long logTime, long wallMillis, @Nullable Version seen, Command.Write command,
			@Nullable String timestamp, @Nullable String fencingToken, Requester requester, Bytes correlationData,
			int digest, @Nullable Duration messageExpiry, boolean persistent,
			@Nullable Bytes traceContext) implements LogEntry {

		/** Creates an entry of an anonymous client. */
		public Write(long logTime, long wallMillis, @Nullable Version seen, Command.Write command,
				@Nullable String timestamp, @Nullable String fencingToken, String clientId, Bytes correlationData,
				int digest, @Nullable Duration messageExpiry, boolean persistent) {
			this(logTime, wallMillis, seen, command, timestamp, fencingToken, Requester.anonymous(clientId),
					correlationData, digest, messageExpiry, persistent, null);
		}

	}

	/**
	 * Removes keys whose deadline has passed. Other keys in the list are unchanged.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock
	 * @param seen an earlier clock reading to merge, or {@code null}
	 * @param keys the keys, in the order of their removal. Possibly none, which only
	 * advances the log time
	 */
	record Expire(long logTime, long wallMillis, @Nullable Version seen, List<Bytes> keys) implements LogEntry {

		/** Maximum number of keys, so that requests do not wait for too many removals. */
		public static final int MAX_KEYS = 1_000;

		public Expire {
			keys = List.copyOf(keys);
		}

	}

	/**
	 * Start of a process with this log. It is the first entry of a log, and the first one
	 * after each recovery.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock
	 * @param seen an earlier clock reading to merge, or {@code null}
	 * @param seed a random number that seeds the hash of the keys. Only that of the first
	 * entry of a log has an effect
	 * @param quota limits of the store
	 * @param replyMemory maximum memory of remembered answers, in bytes
	 * @param after a version that all later ones exceed, or {@code null}
	 * @param keepVolatile whether to keep keys whose last SET was not persistent. If
	 * {@code false}, they are removed, which counts as a deletion
	 * @param maxLostMillis maximum time span in milliseconds of later entries that a
	 * power failure may remove from the log, 0 if none
	 */
	record Start(long logTime, long wallMillis, @Nullable Version seen, long seed, Quota quota, long replyMemory,
			@Nullable Version after, boolean keepVolatile, long maxLostMillis) implements LogEntry {

		/**
		 * Creates an entry.
		 * @throws IllegalArgumentException if a limit is out of range
		 */
		public Start {
			if (replyMemory < 0 || maxLostMillis < 0) {
				throw new IllegalArgumentException("'replyMemory' and 'maxLostMillis' must be at least 0");
			}
		}

		/**
		 * Creates an entry of a store that loses no later entries in a power failure.
		 */
		public Start(long logTime, long wallMillis, @Nullable Version seen, long seed, Quota quota, long replyMemory,
				@Nullable Version after, boolean keepVolatile) {
			this(logTime, wallMillis, seen, seed, quota, replyMemory, after, keepVolatile, 0);
		}

	}

	/**
	 * Issues a version without a change. The answer contains it.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock
	 * @param seen an earlier clock reading to merge, or {@code null}
	 */
	record Issue(long logTime, long wallMillis, @Nullable Version seen) implements LogEntry {
	}

	/**
	 * Changes MQTT sessions or retained messages.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock
	 * @param seen an earlier clock reading to merge, or {@code null}
	 * @param change the change
	 */
	record Session(long logTime, long wallMillis, @Nullable Version seen, SessionChange change) implements LogEntry {
	}

}
