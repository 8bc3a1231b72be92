package io.statestore.broker.server;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.server.Change.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the content of the store to a {@link ChangeJournal}, slice by slice between the
 * changes. The content follows a gap, or replaces earlier content that the journal is
 * about to remove.
 * <p>
 * Used within the serial executor, except where noted.
 */
final class ContentFeed {

	private static final Logger logger = LoggerFactory.getLogger(ContentFeed.class);

	private final ChangeJournal journal;

	private final JournalWriter writer;

	private final Supplier<Version> current;

	/** Number of omitted changes since the latest gap. */
	private long omitted;

	/** Whether changes are omitted until there is room for a gap. */
	private volatile boolean omitting;

	/** Whether the journal lacks changes, and the complete content behind them. */
	private volatile boolean incomplete;

	/** Whether the journal needs the content, although it has all changes. */
	private volatile boolean due;

	/** Whether content is due and not written. Used by the thread of the journal. */
	private boolean requested;

	/** Content that is being passed on, {@code null} for none. */
	private volatile @Nullable StoreContent content;

	/** The store and its executor, {@code null} before the start. */
	private volatile @Nullable Running running;

	/** Whether {@link #writeSlice} will be called. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	private volatile boolean closed;

	/**
	 * Creates a feed.
	 * @param current returns the version of the latest change or mark
	 */
	ContentFeed(ChangeJournal journal, JournalWriter writer, Supplier<Version> current) {
		this.journal = journal;
		this.writer = writer;
		this.current = current;
	}

	/**
	 * Starts to serve.
	 * @param serial runs one slice of the content at a time within the serial executor,
	 * but never on the calling thread
	 * @param gap whether a gap was written, which the content must follow
	 */
	void start(StateMachine machine, Executor serial, boolean gap) {
		if (gap) {
			this.incomplete = true;
			this.content = new StoreContent(machine);
		}
		this.running = new Running(machine, serial);
		proceed();
	}

	/** Returns whether {@link #start} was called. */
	boolean isRunning() {
		return this.running != null;
	}

	/** Returns whether changes must be omitted. */
	boolean isOmitting() {
		return this.omitting;
	}

	/** Returns whether the journal has a gap without complete content. Thread-safe. */
	boolean isIncomplete() {
		return this.incomplete;
	}

	/** Omits a change. A gap and the content follow as soon as there is room. */
	void omit() {
		if (!this.omitting) {
			logger.error("Too many changes wait for the journal. Later ones are omitted until it is written again");
			beginGap();
		}
		this.omitted++;
	}

	private void beginGap() {
		this.omitted = 0;
		this.content = null;
		this.incomplete = true;
		this.omitting = true;
		proceed();
	}

	/** Called by the thread of the journal after each write, with its changes. */
	void written(List<Change> changes) {
		if (changes.stream().anyMatch((change) -> change.operation() == Operation.COMPLETE)) {
			this.requested = false;
		}
		if (!this.requested && this.running != null && this.journal.isContentDue()) {
			this.requested = true;
			this.due = true;
		}
		proceed();
	}

	/** Continues with the content of the store, if any must be written. Thread-safe. */
	private void proceed() {
		Running running = this.running;
		if (running != null && (this.omitting || this.due || this.content != null)
				&& this.scheduled.compareAndSet(false, true)) {
			try {
				running.serial.execute(() -> writeSlice(running.machine));
			}
			catch (RejectedExecutionException ex) {
				// The server is being closed. The next start writes the content.
			}
		}
	}

	private void writeSlice(StateMachine machine) {
		// Cleared first, so that room behind this line causes another call.
		this.scheduled.set(false);
		if (this.closed || !this.writer.hasRoom()) {
			return;
		}
		if (this.omitting) {
			this.omitting = false;
			logger.error("{} changes of the store are missing in the journal. The content of the store follows",
					this.omitted);
			begin(machine, Operation.GAP);
		}
		else if (this.due && this.content == null) {
			begin(machine, Operation.CONTENT);
		}
		StoreContent content = this.content;
		if (content == null) {
			return;
		}
		for (Change change : content.next(this.current.get())) {
			if (!this.writer.add(change)) {
				abandon();
				return;
			}
		}
		if (!content.isEnded()) {
			proceed();
		}
		else if (this.writer.add(Change.mark(Operation.COMPLETE, this.current.get()))) {
			end();
		}
		// Otherwise, the next room causes another attempt.
	}

	private void begin(StateMachine machine, Operation mark) {
		this.content = new StoreContent(machine);
		this.writer.add(Change.mark(mark, this.current.get()));
	}

	/** Begins again later, because the latest slice had no room. */
	private void abandon() {
		this.content = null;
		if (this.incomplete) {
			beginGap();
		}
	}

	private void end() {
		this.content = null;
		this.due = false;
		if (this.incomplete) {
			this.incomplete = false;
			logger.info("The content of the store after the gap was passed to the journal");
		}
	}

	/** Passes on no more content. Thread-safe. */
	void close() {
		this.closed = true;
	}

	/** A store that serves. */
	private record Running(StateMachine machine, Executor serial) {
	}

}
