package io.statestore.broker.server;

import java.security.SecureRandom;
import java.time.Duration;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.Restored;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Creates the entries with which processes start, including the versions above which they
 * begin.
 */
final class StoreStart {

	private static final Duration MAX_LOST_TIME = Duration.ofSeconds(30);

	/**
	 * How far client timestamps may have advanced versions beyond the system clock, in
	 * milliseconds.
	 */
	private static final long MAX_DRIFT = HybridLogicalClock.MAX_DRIFT.toMillis();

	private static final SecureRandom random = new SecureRandom();

	private StoreStart() {
	}

	/**
	 * Returns the first entry of a process that uses a directory.
	 * @param options options with the store's limits
	 * @param recovery the store recovered from the directory
	 */
	static LogEntry.Start entry(StateStoreServerOptions options, Recovery recovery, StorageOptions storage) {
		Restored restored = recovery.log().restored();
		long wallMillis = options.wallClock().getAsLong();
		Version after = later(aboveUnforced(recovery, wallMillis), (restored != null) ? aboveRestored(restored) : null);
		return entry(options, recovery.machine().logTime(), wallMillis, after, storage.persist() == Persist.ALL,
				maxLostMillis(storage));
	}

	/**
	 * Returns the maximum time span of entries that a power failure can remove, in
	 * milliseconds.
	 */
	private static long maxLostMillis(StorageOptions storage) {
		Duration interval = storage.fsyncInterval();
		return switch (storage.fsync()) {
			case ALWAYS -> 0;
			case INTERVAL ->
				((interval.compareTo(MAX_LOST_TIME) < 0) ? interval.plusSeconds(1) : MAX_LOST_TIME).toMillis();
			case NEVER -> MAX_LOST_TIME.toMillis();
		};
	}

	/**
	 * Returns a version above all versions that a power failure may have removed from the
	 * log, or {@code null} if none were removed. The options of the process that wrote
	 * the log count, not the options of this process.
	 * @param now the system clock in milliseconds since 1970
	 */
	private static @Nullable Version aboveUnforced(Recovery recovery, long now) {
		long lostMillis = recovery.machine().maxLostMillis();
		if (lostMillis == 0 || recovery.log().wasClosedCleanly()) {
			return null;
		}
		// Uses the last entry's system clock, because versions may be ahead of it.
		long logged = recovery.machine().wallMillis();
		// Unless the system clock was set back, it has never been later than now.
		long latest = (now < logged) ? logged + lostMillis : Math.min(logged + lostMillis, now);
		// While versions are ahead, only their counter advances.
		long next = recovery.machine().lastVersion().wallMillis() + 1;
		return new Version(Math.max(latest + MAX_DRIFT, next), 0, StateMachine.BEFORE_ALL.nodeId());
	}

	/**
	 * Returns a version above all versions that the original store has issued after the
	 * backup with which a cluster begins.
	 * @param machine the cluster's state
	 * @param now the system clock in milliseconds since 1970
	 * @return the version, or {@code null} if the cluster has not lost any entries or an
	 * earlier leader has already raised its versions
	 */
	static @Nullable Version aboveUnrestored(StateMachine machine, long now) {
		long lostMillis = machine.maxLostMillis();
		return (lostMillis == 0) ? null : new Version(Math.max(now, machine.wallMillis() + lostMillis) + MAX_DRIFT, 0,
				StateMachine.BEFORE_ALL.nodeId());
	}

	/** Returns a version above all versions that the original store has issued. */
	private static @Nullable Version aboveRestored(Restored restored) {
		return later(restored.after(),
				new Version(restored.time().toEpochMilli() + MAX_DRIFT, 0, StateMachine.BEFORE_ALL.nodeId()));
	}

	private static @Nullable Version later(@Nullable Version one, @Nullable Version other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (one.compareTo(other) >= 0) ? one : other;
	}

	/**
	 * Returns the entry that starts a process, see {@link LogEntry.Start}.
	 * @param options options with the limits of the store
	 */
	static LogEntry.Start entry(StateStoreServerOptions options, long logTime, long wallMillis, @Nullable Version after,
			boolean keepVolatile, long maxLostMillis) {
		return new LogEntry.Start(logTime, wallMillis, null, random.nextLong(), options.quota(), options.replyMemory(),
				after, keepVolatile, maxLostMillis);
	}

}
