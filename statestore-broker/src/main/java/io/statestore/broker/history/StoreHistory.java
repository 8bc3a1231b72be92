package io.statestore.broker.history;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.SnapshotKeys;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.LogHistory;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * History of a store that reads its log. While the store serves, only the version of each
 * change and the index of its entry are kept in addition, see {@link ChangeIndex}: in
 * memory until the next snapshot, then in a file. A start that replays the entries behind
 * the latest snapshot finds the same versions again.
 * <p>
 * Changes are recorded within the serial executor. All other methods are thread-safe.
 */
public final class StoreHistory implements ChangeListener {

	private static final Logger logger = LoggerFactory.getLogger(StoreHistory.class);

	private final LogHistory files;

	private @Nullable StateMachine machine;

	/** Index of the last entry before the first one that the machine has applied. */
	private final long origin;

	private volatile Current current;

	/**
	 * Creates a history.
	 * @param files the past of the log
	 * @param base index of the latest snapshot, 0 if there is none
	 */
	public StoreHistory(LogHistory files, long base) {
		this.files = files;
		this.origin = base;
		// Of a process that ended before the next snapshot was complete
		files.remove(base);
		this.current = new Current(base, new ChangeIndex());
	}

	/**
	 * Begins with the entries behind the snapshot.
	 * @param machine the machine with the content of the snapshot
	 */
	public void begin(StateMachine machine) {
		this.machine = machine;
	}

	@Override
	public void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		StateMachine machine = this.machine;
		if (machine != null) {
			this.current.changes.add(this.origin + machine.entryCount(), version, (author != null) ? null : key);
		}
	}

	/** Called when a snapshot begins, within the serial executor. */
	public void cut() {
		this.current.changes.cut();
	}

	/**
	 * Writes the changes up to a snapshot before it replaces the entries. If that fails,
	 * the history begins with the snapshot.
	 * @param next index of the snapshot
	 */
	public void complete(long next) {
		Current current = this.current;
		try {
			this.files.write(current.base, next, current.changes.upTo(next).encode());
		}
		catch (IOException ex) {
			logger.warn("The history begins with the snapshot of entry {}, because the versions of earlier changes "
					+ "cannot be written. Check the space on the disk", next, ex);
		}
	}

	/**
	 * Called when a snapshot has replaced the entries, within the serial executor.
	 * @param next index of the snapshot
	 */
	public void completed(long next) {
		this.current = new Current(next, this.current.changes.behind(next));
	}

	/**
	 * Drops ordinary messages, and whatever else changes no key, from the entries that
	 * the latest snapshot has replaced. Removes what is too old or too much.
	 */
	public void compact() {
		try {
			this.files.retain(base());
			this.files.compact(LogEntryCodec::isWrite);
		}
		catch (IOException | RuntimeException ex) {
			logger.warn("Cannot reduce the history, so it takes more space than it should", ex);
		}
	}

	/** Returns the index of the latest snapshot. */
	long base() {
		return this.current.base;
	}

	/** Returns the changes behind a snapshot. */
	ChangeIndex changes(long base) throws IOException {
		Current current = this.current;
		return (base == current.base) ? current.changes : ChangeIndex.decode(this.files.read(base).content());
	}

	/** Returns the next snapshot behind which changes can be read. */
	long following(long base) throws IOException {
		return bases().stream().filter((each) -> each > base).findFirst().orElseThrow();
	}

	/** Returns whether no change between two snapshots is missing. */
	boolean isComplete(long base, long following) throws IOException {
		return bases().contains(base) && this.files.read(base).next() == following;
	}

	/** Returns the snapshots behind which changes can be read. */
	private List<Long> bases() throws IOException {
		long current = base();
		List<Long> bases = new ArrayList<>(this.files.bases().stream().filter((base) -> base < current).toList());
		bases.add(current);
		return bases;
	}

	/** Opens all changes. */
	HistoryReader all() throws IOException {
		return content(bases().get(0), 0, false);
	}

	/**
	 * Opens the content of a snapshot again, and all changes behind it. If it was removed
	 * meanwhile, begins with a gap.
	 * @param skipped number of keys that were read before
	 */
	HistoryReader content(long base, long skipped) throws IOException {
		List<Long> bases = bases();
		return bases.contains(base) ? content(base, skipped, false) : content(bases.get(0), 0, true);
	}

	private HistoryReader content(long base, long skipped, boolean gap) throws IOException {
		HistoryReader reader = new HistoryReader(this, this.files, base, StateMachine.BEFORE_ALL);
		try {
			reader.beginWithContent(skipped, gap);
			return reader;
		}
		catch (IOException | RuntimeException ex) {
			reader.close();
			throw ex;
		}
	}

	/**
	 * Opens the changes behind a version. If some of them are missing, begins with a gap.
	 */
	HistoryReader after(Version version) throws IOException {
		long base = baseBefore(version);
		return (base >= 0) ? new HistoryReader(this, this.files, base, version) : content(bases().get(0), 0, true);
	}

	/**
	 * Opens the latest content that is not newer than a version, and the changes behind
	 * it.
	 * @return the reader, {@code null} if the history begins with a newer content
	 */
	@Nullable HistoryReader contentAt(Version version) throws IOException {
		long base = baseBefore(version);
		return (base >= 0) ? content(base, 0, false) : null;
	}

	/**
	 * Returns the latest snapshot that is not newer than a version, -1 if there is none.
	 */
	private long baseBefore(Version version) throws IOException {
		List<Long> bases = bases();
		for (int i = bases.size() - 1; i >= 0; i--) {
			if (bases.get(i) == 0 || lastChange(bases.get(i)).compareTo(version) <= 0) {
				return bases.get(i);
			}
		}
		return -1;
	}

	private Version lastChange(long base) throws IOException {
		try (SnapshotInput snapshot = this.files.snapshot(base)) {
			return new SnapshotKeys(snapshot).lastChange();
		}
	}

	/**
	 * The changes behind the latest snapshot.
	 *
	 * @param base index of the snapshot
	 */
	private record Current(long base, ChangeIndex changes) {
	}

}
