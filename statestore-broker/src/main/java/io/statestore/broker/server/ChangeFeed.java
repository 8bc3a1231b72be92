package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.server.Change.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes applied changes to a {@link ChangeJournal}, without waiting for it. If too many
 * changes wait, later ones are omitted. Once there is room again, the journal receives a
 * gap and the content of the store.
 * <p>
 * Used within the serial executor, except where noted.
 */
final class ChangeFeed implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ChangeFeed.class);

	/** Time without progress after which a recovery no longer waits for the journal. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final ChangeJournal journal;

	private final JournalWriter writer;

	/** Version of the last change that an earlier server has written. */
	private final @Nullable Version last;

	/** Whether the journal ends with a state that later changes can follow. */
	private final boolean complete;

	/** Filter during a recovery, {@code null} for no change. */
	private @Nullable ReplayFilter filter;

	private boolean recovering;

	/** Version of the latest change or mark. */
	private Version current;

	private long omitted;

	/** Whether changes are omitted until there is room for a gap. */
	private volatile boolean omitting;

	/** Content that follows a gap, {@code null} if the journal has all content. */
	private volatile @Nullable StoreContent content;

	/** The store and its executor, {@code null} before the start. */
	private volatile @Nullable Running running;

	/** Whether {@link #writeContent} will be called. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	private volatile boolean closed;

	/**
	 * Creates a feed.
	 * @param maxHeld maximum estimated memory of waiting changes
	 */
	ChangeFeed(ChangeJournal journal, long maxHeld) {
		this.journal = journal;
		this.writer = new JournalWriter(journal, maxHeld, this::proceed);
		this.last = journal.last();
		this.complete = !journal.isAfterGap();
		this.current = (this.last != null) ? this.last : StateMachine.BEFORE_ALL;
	}

	/** Returns the version of the last change that an earlier server has written. */
	@Nullable Version last() {
		return this.last;
	}

	/**
	 * Begins a recovery. Its changes are passed on if the journal lacks them.
	 * @param restored the machine, before it applies the entries behind its snapshot
	 */
	void beginRecovery(StateMachine restored) {
		this.recovering = true;
		this.filter = (this.last != null && this.complete)
				? new ReplayFilter(this.last, restored.lastChange(), restored.lastVersion()) : null;
	}

	/** Receives the version that a start of an earlier process continues after. */
	void restarted(@Nullable Version after) {
		if (this.filter != null) {
			this.filter.started(after);
		}
	}

	/**
	 * Ends a recovery.
	 * @return whether later changes can follow those in the journal. Otherwise, a mark
	 * must be written first
	 */
	boolean endRecovery() {
		this.recovering = false;
		return this.filter != null && this.filter.isComplete();
	}

	/**
	 * Writes a mark before the first change.
	 * @param mark the start of an empty store, or a gap
	 * @param version a version that exceeds all earlier ones
	 */
	void writeMark(Operation mark, Version version) {
		this.journal.write(List.of(Change.mark(mark, version)));
		this.journal.force();
		this.current = version;
	}

	/**
	 * Starts to serve. Content that must follow a gap is read from now on.
	 * @param serial runs one slice of the content at a time within the serial executor,
	 * but never on the calling thread
	 * @param gap whether a gap was written
	 */
	void start(StateMachine machine, Executor serial, boolean gap) {
		if (gap) {
			this.content = new StoreContent(machine);
		}
		this.running = new Running(machine, serial);
		proceed();
	}

	/** Passes on a change. A recovery waits for room. */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable String clientId) {
		if (this.recovering && (this.filter == null || !this.filter.isNew(version))) {
			return;
		}
		this.current = version;
		if (this.omitting) {
			this.omitted++;
			return;
		}
		Change change = Change.of(key.compact(), (value != null) ? value.compact() : null, version, clientId);
		if (!add(change)) {
			omit();
		}
	}

	private boolean add(Change change) {
		if (this.writer.add(change)) {
			return true;
		}
		if (this.running != null) {
			return false;
		}
		this.writer.awaitRoom(PATIENCE);
		return this.writer.add(change);
	}

	private void omit() {
		logger.error("Too many changes wait for the journal. Later ones are omitted until it is written again");
		this.omitted = 1;
		this.content = null;
		this.omitting = true;
		proceed();
	}

	/** Continues with the content of the store, if any must be written. Thread-safe. */
	private void proceed() {
		Running running = this.running;
		if (running != null && (this.omitting || this.content != null) && this.scheduled.compareAndSet(false, true)) {
			try {
				running.serial.execute(() -> writeContent(running.machine));
			}
			catch (RejectedExecutionException ex) {
				// The server is being closed. The next start writes the content.
			}
		}
	}

	private void writeContent(StateMachine machine) {
		// Cleared first, so that room behind this line causes another call.
		this.scheduled.set(false);
		if (this.closed || !this.writer.hasRoom()) {
			return;
		}
		if (this.omitting) {
			this.omitting = false;
			logger.error("{} changes of the store are missing in the journal. The content of the store follows",
					this.omitted);
			this.content = new StoreContent(machine);
			add(Change.mark(Operation.GAP, this.current));
		}
		StoreContent content = this.content;
		if (content == null) {
			return;
		}
		for (Change change : content.next(this.current)) {
			if (!add(change)) {
				omit();
				return;
			}
		}
		if (!content.isEnded()) {
			proceed();
		}
		else if (add(Change.mark(Operation.COMPLETE, this.current))) {
			this.content = null;
			logger.info("The content of the store after the gap was passed to the journal");
		}
		// Otherwise, the next room causes another attempt.
	}

	/** Returns the number of changes that were passed on so far. */
	long added() {
		return this.writer.added();
	}

	/**
	 * Requests that the first changes are forced to the disk of the journal. Thread-safe.
	 * @param count the number of changes
	 * @return whether a recovery no longer needs them
	 */
	boolean force(long count) {
		return this.omitting || this.content != null || this.writer.force(count);
	}

	/**
	 * Waits until all changes are written, or one more attempt has failed. Called outside
	 * the serial executor.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.writer.close();
	}

	/** Ends a failed start. The changes that are not written remain in the log. */
	void discard() {
		this.closed = true;
		this.writer.discard();
	}

	/** A store that serves. */
	private record Running(StateMachine machine, Executor serial) {
	}

}
