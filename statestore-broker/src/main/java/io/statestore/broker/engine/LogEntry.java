package io.statestore.broker.engine;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.session.SessionChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the command log: one command, with everything except the state that its
 * result depends on. The proposer of an entry reads the clocks; {@link StateMachine} does
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
	 * Returns the reading of the proposer's system clock, which versions are based on.
	 * @return milliseconds since 1970; may jump
	 */
	long wallMillis();

	/**
	 * Returns the latest clock reading received with a command that is not logged, such
	 * as GET. It is merged first, so that the versions of this entry are greater
	 * (protocol section 10).
	 * @return the reading, or {@code null} if the machine's clock is not behind it, see
	 * {@link SeenClock}
	 */
	@Nullable Version seen();

	/**
	 * A SET, REPLACE, INCRBY, DEL, or VDEL.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock, in milliseconds since 1970
	 * @param seen a clock reading to merge first, or {@code null}
	 * @param command the command to execute
	 * @param timestamp the text of {@code __ts}, or {@code null} if absent
	 * @param fencingToken the text of {@code __ft}, or {@code null} if absent
	 * @param requester the client that sent the request
	 * @param correlationData the correlation data of the request
	 * @param digest a payload digest, which distinguishes requests with the same
	 * correlation data
	 * @param messageExpiry the message expiry interval of the request, or {@code null} if
	 * absent
	 * @param persistent whether the request asks that the key survive a restart
	 */
	record Write(long logTime, long wallMillis, @Nullable Version seen, Command.Write command,
			@Nullable String timestamp, @Nullable String fencingToken, Requester requester, Bytes correlationData,
			int digest, @Nullable Duration messageExpiry, boolean persistent) implements LogEntry {

		/** Creates an entry for an anonymous client's request. */
		public Write(long logTime, long wallMillis, @Nullable Version seen, Command.Write command,
				@Nullable String timestamp, @Nullable String fencingToken, String clientId, Bytes correlationData,
				int digest, @Nullable Duration messageExpiry, boolean persistent) {
			this(logTime, wallMillis, seen, command, timestamp, fencingToken, Requester.anonymous(clientId),
					correlationData, digest, messageExpiry, persistent);
		}

	}

	/**
	 * Removes keys whose deadline has passed. Other keys in the list are unchanged.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock, in milliseconds since 1970
	 * @param seen a clock reading to merge first, or {@code null}
	 * @param keys the keys, in the order of their removal. An empty list only advances
	 * the log time
	 */
	record Expire(long logTime, long wallMillis, @Nullable Version seen, List<Bytes> keys) implements LogEntry {

		/** Maximum number of keys, so that requests do not wait for too many removals. */
		public static final int MAX_KEYS = 1_000;

		public Expire {
			keys = List.copyOf(keys);
		}

	}

	/**
	 * Marks a process start. This is the first entry in a log, and the first entry after
	 * each recovery.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock, in milliseconds since 1970
	 * @param seen a clock reading to merge first, or {@code null}
	 * @param seed a random seed for hashing keys. Only the seed of a log's first entry
	 * has an effect
	 * @param quota the store's limits
	 * @param replyMemory maximum memory of remembered answers, in bytes
	 * @param after a version that all later versions exceed, or {@code null}
	 * @param keepVolatile whether to keep keys whose last SET was not persistent. If
	 * {@code false}, they are removed, and listeners receive deletions
	 * @param maxLostMillis maximum time span of later entries that a power failure can
	 * remove from the log, in milliseconds; 0 if none can be lost
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
		 * Creates an entry for a store that loses no later entries in a power failure.
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
	 * @param wallMillis the proposer's system clock, in milliseconds since 1970
	 * @param seen a clock reading to merge first, or {@code null}
	 */
	record Issue(long logTime, long wallMillis, @Nullable Version seen) implements LogEntry {
	}

	/**
	 * Changes MQTT sessions or retained messages.
	 *
	 * @param logTime the log time in nanoseconds
	 * @param wallMillis the proposer's system clock, in milliseconds since 1970
	 * @param seen a clock reading to merge first, or {@code null}
	 * @param change the change to apply
	 */
	record Session(long logTime, long wallMillis, @Nullable Version seen, SessionChange change) implements LogEntry {
	}

}
