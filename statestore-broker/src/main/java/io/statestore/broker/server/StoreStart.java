package io.statestore.broker.server;

import java.security.SecureRandom;
import java.time.Duration;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.Restored;
import io.statestore.broker.server.Change.Operation;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Start of a store: an empty one in memory, or one recovered from a directory. */
final class StoreStart {

	private static final Logger logger = LoggerFactory.getLogger(StoreStart.class);

	private static final Duration MAX_LOST_TIME = Duration.ofSeconds(30);

	/**
	 * How far timestamps of clients may have advanced versions beyond the system clock,
	 * in milliseconds.
	 */
	private static final long MAX_DRIFT = HybridLogicalClock.MAX_DRIFT.toMillis();

	/** Maximum time for which a start waits for the disk of the journal. */
	private static final Duration MAX_WAIT = Duration.ofSeconds(30);

	private static final SecureRandom random = new SecureRandom();

	private final StateStoreServerOptions options;

	private final @Nullable ChangeFeed feed;

	private @Nullable Operation mark;

	/**
	 * Creates a start.
	 * @param feed the journal, or {@code null} for none
	 */
	StoreStart(StateStoreServerOptions options, @Nullable ChangeFeed feed) {
		this.options = options;
		this.feed = feed;
	}

	/** Returns an empty store. */
	StateMachine inMemory(ChangeListener listener) {
		StateMachine machine = new StateMachine(listener);
		Version after = (this.feed != null) ? mark(this.feed, Operation.START, null) : null;
		machine.apply(entry(this.options, 0, this.options.wallClock().getAsLong(), after, true, after != null, 0));
		return machine;
	}

	/** Returns whether the journal has a gap, behind which the content must follow. */
	boolean hasGap() {
		return this.mark == Operation.GAP;
	}

	/**
	 * Writes a mark to the journal.
	 * @param after a version that the mark exceeds, or {@code null}
	 * @return the version of the mark
	 */
	private Version mark(ChangeFeed feed, Operation mark, @Nullable Version after) {
		Version least = greater(feed.last(), after);
		Version version = new HybridLogicalClock((least != null) ? least : StateMachine.BEFORE_ALL,
				this.options.wallClock())
			.tick();
		feed.writeMark(mark, version, MAX_WAIT);
		this.mark = mark;
		return version;
	}

	/** Recovers a store from a directory. */
	Recovery recover(StorageOptions storage, ServerTuning tuning, ChangeListener listener) {
		FileLog log = tuning.logs()
			.open(storage.directory(), new LogOptions(storage.fsync(), storage.fsyncInterval(), tuning.segmentBytes())
				.history(storage.history()));
		try {
			Recovery recovery = new Recovery(storage.directory(), log,
					new RecoveryMonitor(storage.directory(), this.options.recoveryListener()), listener, this.feed);
			Restored restored = log.restored();
			long wallMillis = this.options.wallClock().getAsLong();
			Version after = greater(unforced(recovery, wallMillis), (restored != null) ? last(restored) : null);
			if (this.feed != null) {
				after = continueJournal(this.feed, log.lastIndex() == 0,
						greater(after, recovery.machine().lastVersion()));
			}
			recovery.start(entry(this.options, recovery.machine().logTime(), wallMillis, after,
					storage.persist() == Persist.ALL, this.mark != null, maxLostMillis(storage)));
			return recovery;
		}
		catch (RuntimeException | Error ex) {
			log.close();
			throw ex;
		}
	}

	/**
	 * Lets the journal continue with the changes behind a recovery.
	 * @param after a version that all later ones exceed
	 * @return a version that all later ones exceed, and those in the journal do not
	 */
	private @Nullable Version continueJournal(ChangeFeed feed, boolean empty, @Nullable Version after) {
		if (feed.endRecovery()) {
			return greater(after, feed.last());
		}
		if (!empty) {
			logger.warn("The journal does not continue with the recovered changes of the store, because it is new, "
					+ "incomplete, or has changes that the store does not have. It receives a gap and the content of "
					+ "the store");
		}
		return mark(feed, empty ? Operation.START : Operation.GAP, after);
	}

	/**
	 * Returns the maximum time span of entries that a power failure may remove, in
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
	 * Returns a version above those that a power failure may have removed from the log.
	 * The options of the process that wrote the log count, not those of this one.
	 * @param now the system clock in milliseconds since 1970
	 */
	private static @Nullable Version unforced(Recovery recovery, long now) {
		long lostMillis = recovery.machine().maxLostMillis();
		if (lostMillis == 0 || recovery.log().isComplete()) {
			return null;
		}
		// From the system clock, because versions may be ahead of it since earlier starts
		long logged = recovery.machine().wallMillis();
		// Unless the system clock was set back, it has not been later than now.
		long latest = (now < logged) ? logged + lostMillis : Math.min(logged + lostMillis, now);
		// While versions are ahead, only their counter advances.
		long next = recovery.machine().lastVersion().wallMillis() + 1;
		return new Version(Math.max(latest + MAX_DRIFT, next), 0, StateMachine.BEFORE_ALL.nodeId());
	}

	/**
	 * Returns a version above those that a store has issued behind the backup with which
	 * a cluster begins.
	 * @param machine the state of the cluster
	 * @param now the system clock in milliseconds since 1970
	 * @return the version, or {@code null} if the cluster has lost no entries, or an
	 * earlier leader has raised its versions
	 */
	static @Nullable Version unrestored(StateMachine machine, long now) {
		long lostMillis = machine.maxLostMillis();
		return (lostMillis == 0) ? null : new Version(Math.max(now, machine.wallMillis() + lostMillis) + MAX_DRIFT, 0,
				StateMachine.BEFORE_ALL.nodeId());
	}

	/** Returns a version above those that the original store has issued. */
	private static @Nullable Version last(Restored restored) {
		return greater(restored.after(),
				new Version(restored.time().toEpochMilli() + MAX_DRIFT, 0, StateMachine.BEFORE_ALL.nodeId()));
	}

	private static @Nullable Version greater(@Nullable Version one, @Nullable Version other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (one.compareTo(other) >= 0) ? one : other;
	}

	/** Returns the entry that starts a process. */
	static LogEntry.Start entry(StateStoreServerOptions options, long logTime, long wallMillis, @Nullable Version after,
			boolean keepVolatile, boolean marked, long maxLostMillis) {
		return new LogEntry.Start(logTime, wallMillis, null, random.nextLong(), options.quota(), options.replyMemory(),
				after, keepVolatile, marked, maxLostMillis);
	}

}
