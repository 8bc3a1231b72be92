package io.statestore.broker.server;

import java.security.SecureRandom;
import java.time.Duration;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.Restored;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Start of a store: an empty one in memory, or one recovered from a directory. */
final class StoreStart {

	private static final Duration MAX_LOST_TIME = Duration.ofSeconds(30);

	private static final SecureRandom random = new SecureRandom();

	private final StateStoreServerOptions options;

	private final @Nullable ChangeFeed feed;

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
		machine.apply(entry(this.options, 0, this.options.wallClock().getAsLong(), startEmpty(), true));
		return machine;
	}

	/**
	 * Writes the start of an empty store to the journal.
	 * @return the version that all later ones exceed, or {@code null} without a journal
	 */
	private @Nullable Version startEmpty() {
		if (this.feed == null) {
			return null;
		}
		Version last = this.feed.last();
		Version start = new HybridLogicalClock((last != null) ? last : StateMachine.BEFORE_ALL,
				this.options.wallClock())
			.tick();
		this.feed.writeStart(start);
		return start;
	}

	/** Recovers a store from a directory. */
	Recovery recover(StorageOptions storage, ServerTuning tuning, ChangeListener listener) {
		FileLog log = tuning.logs()
			.open(storage.directory(), new LogOptions(storage.fsync(), storage.fsyncInterval(), tuning.segmentBytes()));
		try {
			Recovery recovery = new Recovery(storage.directory(), log, listener);
			Restored restored = log.restored();
			Version after = (log.lastIndex() == 0) ? startEmpty()
					: greater(greater((this.feed != null) ? this.feed.last() : null, unforced(storage, recovery)),
							(restored != null) ? last(restored) : null);
			recovery.start(entry(this.options, recovery.machine().logTime(), this.options.wallClock().getAsLong(),
					after, storage.persist() == Persist.ALL));
			return recovery;
		}
		catch (RuntimeException | Error ex) {
			log.close();
			throw ex;
		}
	}

	/**
	 * Returns a version above those that a power failure may have removed from the log,
	 * in case the system clock was set back.
	 */
	private static @Nullable Version unforced(StorageOptions storage, Recovery recovery) {
		if (storage.fsync() == Fsync.ALWAYS && storage.persist() == Persist.ALL) {
			return null;
		}
		Duration lost = (storage.fsync() == Fsync.INTERVAL && storage.fsyncInterval().compareTo(MAX_LOST_TIME) < 0)
				? storage.fsyncInterval().plusSeconds(1) : MAX_LOST_TIME;
		Version last = recovery.machine().lastVersion();
		return new Version(last.wallMillis() + lost.toMillis(), 0, last.nodeId());
	}

	private static Version last(Restored restored) {
		Version after = restored.after();
		return (after != null) ? after
				: new Version(restored.time().toEpochMilli() + 1, 0, StateMachine.BEFORE_ALL.nodeId());
	}

	private static @Nullable Version greater(@Nullable Version one, @Nullable Version other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (one.compareTo(other) >= 0) ? one : other;
	}

	/** Returns the entry that starts a process. */
	static LogEntry.Start entry(StateStoreServerOptions options, long logTime, long wallMillis, @Nullable Version after,
			boolean keepVolatile) {
		return new LogEntry.Start(logTime, wallMillis, null, random.nextLong(), options.quota().maxKeys(),
				options.quota().maxBytes(), options.replyMemory(), after, keepVolatile);
	}

}
