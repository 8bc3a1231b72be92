package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.server.Change.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Passes applied changes to a {@link ChangeJournal}, without waiting for it. If too many
 * changes wait, later ones are omitted. Once there is room again, the journal receives a
 * gap and the content of the store.
 * <p>
 * Used within the serial executor, except where noted.
 */
final class ChangeFeed implements AutoCloseable {

	/** Time without progress after which a recovery no longer waits for the journal. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final JournalWriter writer;

	private final ContentFeed content;

	/** Version of the last change that an earlier server has written. */
	private final @Nullable Version last;

	/** Whether the journal ends with a state that later changes can follow. */
	private final boolean complete;

	/** Filter during a recovery, {@code null} for no change. */
	private @Nullable ReplayFilter filter;

	private boolean recovering;

	/** Version of the latest change or mark. */
	private Version current;

	/**
	 * Creates a feed.
	 * @param maxHeld maximum estimated memory of waiting changes
	 */
	ChangeFeed(ChangeJournal journal, long maxHeld) {
		this.last = journal.last();
		this.complete = !journal.isAfterGap();
		this.current = (this.last != null) ? this.last : StateMachine.BEFORE_ALL;
		this.writer = new JournalWriter(journal, maxHeld, this::written);
		this.content = new ContentFeed(journal, this.writer, () -> this.current);
	}

	private void written(List<Change> changes) {
		this.content.written(changes);
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
		this.filter = (this.last != null && this.complete) ? new ReplayFilter(this.last, restored.lastChange()) : null;
	}

	/** Receives the version of a mark that a journal received from an earlier process. */
	void marked(Version version) {
		if (this.filter != null) {
			this.filter.pass(version);
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
	 * @param limit maximum time to wait
	 * @throws RuntimeException if the mark is not written, or the outcome is unknown
	 */
	void writeMark(Operation mark, Version version, Duration limit) {
		this.writer.writeFirst(Change.mark(mark, version), limit);
		this.current = version;
	}

	/**
	 * Starts to serve. Content that must follow a gap is read from now on.
	 * @param serial runs one slice of the content at a time within the serial executor,
	 * but never on the calling thread
	 * @param gap whether a gap was written
	 */
	void start(StateMachine machine, Executor serial, boolean gap) {
		this.content.start(machine, serial, gap);
	}

	/** Passes on a change. A recovery waits for room. */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		if (this.recovering && (this.filter == null || !this.filter.pass(version))) {
			return;
		}
		this.current = version;
		if (this.content.isOmitting()
				|| !add(Change.of(key.compact(), (value != null) ? value.compact() : null, version, author))) {
			this.content.omit();
		}
	}

	private boolean add(Change change) {
		if (this.writer.add(change)) {
			return true;
		}
		if (this.content.isRunning()) {
			return false;
		}
		this.writer.awaitRoom(PATIENCE);
		return this.writer.add(change);
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
		return this.content.isIncomplete() || this.writer.force(count);
	}

	/**
	 * Waits until all changes are written, or one more attempt has failed. Called outside
	 * the serial executor.
	 */
	@Override
	public void close() {
		this.content.close();
		this.writer.close();
	}

	/** Ends a failed start. The changes that are not written remain in the log. */
	void discard() {
		this.content.close();
		this.writer.discard();
	}

}
