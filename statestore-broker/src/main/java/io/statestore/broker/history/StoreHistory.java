package io.statestore.broker.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.SnapshotKeys;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.history.ChangeIndex.IndexedChange;
import io.statestore.broker.log.EntryReader;
import io.statestore.broker.log.LogHistory.Notes;
import io.statestore.broker.log.LogHistory;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store's history, read from its log. In addition to the log, it keeps only the version
 * of each change and the index of its entry, see {@link ChangeIndex}: in memory until the
 * next snapshot, then in a file. A restart replays the entries after the latest snapshot,
 * which results in the same versions.
 * <p>
 * A base is the index of a snapshot after which changes can be read.
 * <p>
 * Changes are recorded within the serial executor. All other methods are thread-safe.
 */
public final class StoreHistory implements ChangeListener {

	private static final Logger logger = LoggerFactory.getLogger(StoreHistory.class);

	private volatile HistoryLog log;

	/** The state machine, {@code null} until changes are recorded. */
	private @Nullable StateMachine machine;

	/**
	 * Index of the latest log entry announced with {@link #applying}, 0 if each log entry
	 * is a store entry.
	 */
	private long entry;

	/** Number of store entries applied before {@link #entry}. */
	private long appliedBefore;

	/** Terms of the applied entries, by the index of the first entry of each term. */
	private final NavigableMap<Long, Long> terms = new ConcurrentSkipListMap<>();

	/**
	 * Index of the snapshot with which this history began, 0 if there was no snapshot.
	 */
	private final long origin;

	private volatile Current current;

	/**
	 * Creates a history.
	 * @param log the store's log
	 * @param base index of the latest snapshot, 0 if there is none
	 * @throws IOException if the directory cannot be changed
	 */
	public StoreHistory(HistoryLog log, long base) throws IOException {
		this.log = log;
		this.origin = base;
		// An earlier process may have ended before the snapshot for these changes was
		// complete.
		log.past().removeFrom(base);
		this.current = new Current(base, new ChangeIndex());
	}

	/**
	 * Starts recording changes. Must be called after the snapshot is restored, because
	 * its keys are not changes.
	 * @param machine the machine restored from the snapshot
	 */
	public void recordChangesOf(StateMachine machine) {
		this.machine = machine;
	}

	/**
	 * Called before the machine applies the store entries in a log entry. Not called if
	 * each log entry is a store entry.
	 * @param index index of the log entry
	 * @param term term of the log entry
	 */
	public void applying(long index, long term) {
		Map.Entry<Long, Long> last = this.terms.lastEntry();
		if (last == null || last.getValue() != term) {
			this.terms.put(index, term);
		}
		this.entry = index;
		this.appliedBefore = Objects.requireNonNull(this.machine).entryCount();
	}

	/**
	 * Continues with the same log after it was reopened.
	 * @param log the reopened log
	 */
	public void reopened(HistoryLog log) {
		this.log = log;
	}

	@Override
	public void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		StateMachine machine = this.machine;
		if (machine != null) {
			long count = machine.entryCount();
			// The entry of a write contains its key and, except for a sum, its value. An
			// expiry may remove several keys.
			Bytes ownKey = (author != null) ? null : key;
			Bytes sum = (author != null && machine.isIncrement()) ? value : null;
			this.current.changes.add((this.entry > 0)
					? new IndexedChange(this.entry, (int) (count - this.appliedBefore) - 1, version, ownKey, sum)
					: new IndexedChange(this.origin + count, 0, version, ownKey, sum));
		}
	}

	/** Called when a snapshot begins, within the serial executor. */
	public void cut() {
		this.current.changes.cut();
	}

	/**
	 * Keeps a snapshot taken by the consensus implementation and continues after it.
	 * Called before the snapshot replaces entries.
	 * @param next index of the snapshot
	 * @param snapshot the snapshot file
	 * @param serial executes a task within the serial executor
	 * @throws IOException if the snapshot cannot be kept, or the log does not have all
	 * entries before it yet
	 */
	public void continueBehind(long next, Path snapshot, Consumer<Runnable> serial) throws IOException {
		if (next == base()) {
			return;
		}
		if (place(next) == 0) {
			throw new IOException("Entry " + next + " is not on the disk yet");
		}
		past().keep(snapshot);
		writeChanges(next);
		serial.accept(() -> collectBehind(next));
		compact();
	}

	/**
	 * Ends this history before another node's snapshot replaces the store. The changes
	 * between this history and that snapshot are a gap. If the disk does not have the
	 * last entry yet, all changes since the latest snapshot are part of the gap.
	 */
	public void end() {
		if (this.entry > base() && place(this.entry) > 0) {
			writeChanges(this.entry);
		}
	}

	/**
	 * Writes the changes up to a snapshot to a file, before the snapshot replaces the
	 * entries. If that fails, the history begins with the snapshot.
	 * @param next index of the snapshot
	 */
	public void writeChanges(long next) {
		Current current = this.current;
		try {
			past().writeNotes(current.base,
					new Notes(next, this.log.runs(), ByteBuffer.wrap(current.changes.upTo(next).encode())));
		}
		catch (IOException ex) {
			logger.warn("Failed to write the versions of the changes before entry {}, so the history begins with the "
					+ "snapshot of this entry. Check the free space on the disk", next, ex);
		}
	}

	/**
	 * Starts collecting changes after a snapshot once the changes before it are written.
	 * Called within the serial executor.
	 * @param next index of the snapshot
	 */
	public void collectBehind(long next) {
		this.current = new Current(next, this.current.changes.behind(next));
	}

	/**
	 * Of the entries that the latest snapshot has replaced, drops those that do not
	 * change a key, such as entries for ordinary messages. Then removes files that exceed
	 * the retention.
	 */
	public void compact() {
		try {
			try {
				// Compacts first, because the retention applies to the remaining size.
				past().compact((entry) -> this.log.entries(entry).stream().anyMatch(LogEntryCodec::isWrite));
			}
			finally {
				retain();
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.warn("Failed to remove old changes from the history, so it uses more space than configured. Check "
					+ "the disk; the next snapshot triggers another attempt", ex);
		}
	}

	private void retain() throws IOException {
		long base = base();
		// The place after the snapshot, even if the next entry is not there yet.
		long place = Math.max(this.log.place(base + 1, 0), this.log.place(base, 0) + 1);
		past().retain(base, place, this.log.snapshotId());
	}

	private LogHistory past() {
		return this.log.past();
	}

	/** Returns the index of the latest snapshot. */
	long base() {
		return this.current.base;
	}

	/** Returns the changes after a snapshot. */
	Changes changes(long base) throws IOException {
		Current current = this.current;
		if (base == current.base) {
			return new Changes(current.changes, this::place, true);
		}
		Notes notes = past().readNotes(base);
		return new Changes(ChangeIndex.decode(notes.content()), notes.runs()::place, false);
	}

	/** Returns the place of an applied entry, 0 if it is not in the log (yet). */
	private long place(long index) {
		Map.Entry<Long, Long> term = this.terms.floorEntry(index);
		return this.log.place(index, (term != null) ? term.getValue() : 0);
	}

	/**
	 * Returns the log's identity, which differs between nodes because they have different
	 * snapshots.
	 */
	String id() {
		return Long.toHexString(past().id().getLeastSignificantBits());
	}

	/** Returns the store entries in a log entry. */
	List<ByteBuffer> entries(ByteBuffer entry) {
		return this.log.entries(entry);
	}

	SnapshotInput snapshot(long base) throws IOException {
		return past().snapshot(base, this.log.snapshotId());
	}

	/**
	 * Opens the log's entries, starting from a place. Returns {@code null} if that place
	 * is missing.
	 */
	@Nullable EntryReader open(long place) throws IOException {
		return past().entries(place);
	}

	/** Returns the next base after a base. */
	long nextBase(long base) throws IOException {
		return bases().stream().filter((each) -> each > base).findFirst().orElseThrow();
	}

	/** Returns whether all changes between two bases are present. */
	boolean isComplete(long base, long next) throws IOException {
		return bases().contains(base) && past().readNotes(base).next() == next;
	}

	/** Returns the bases in ascending order. */
	private List<Long> bases() throws IOException {
		long current = base();
		List<Long> bases = new ArrayList<>(past().bases().stream().filter((base) -> base < current).toList());
		bases.add(current);
		return bases;
	}

	/** Opens the history at its beginning. */
	HistoryReader all() throws IOException {
		return content(bases().get(0), 0, false);
	}

	/**
	 * Reopens a snapshot's content and all changes after it. If the snapshot has since
	 * been removed, begins with a gap.
	 * @param skipped number of keys that an earlier reader has returned
	 */
	HistoryReader content(long base, long skipped) throws IOException {
		List<Long> bases = bases();
		return bases.contains(base) ? content(base, skipped, false) : content(bases.get(0), 0, true);
	}

	private HistoryReader content(long base, long skipped, boolean gap) throws IOException {
		HistoryReader reader = new HistoryReader(this, base, StateMachine.BEFORE_ALL);
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
	 * Opens the changes after a version. Begins with a gap if some of them are missing,
	 * or if a power failure or a restore has removed the change with this version.
	 */
	HistoryReader after(Version version) throws IOException {
		long base = baseBefore(version);
		return (base >= 0 && isKnown(version, base)) ? new HistoryReader(this, base, version)
				: content(bases().get(0), 0, true);
	}

	/**
	 * Returns whether a version is valid as a starting point: a change has it, or it was
	 * not issued by the store and so only marks a point in time.
	 */
	private boolean isKnown(Version version, long base) throws IOException {
		return !version.nodeId().equals(StateMachine.BEFORE_ALL.nodeId()) || version.equals(lastChange(base))
				|| changes(base).index().contains(version);
	}

	/**
	 * Opens the latest content that is not newer than a version, and the changes after
	 * it.
	 * @return the reader, {@code null} if the history begins with newer content
	 */
	@Nullable HistoryReader contentAt(Version version) throws IOException {
		long base = baseBefore(version);
		return (base >= 0) ? content(base, 0, false) : null;
	}

	/**
	 * Finds the last changes before a version.
	 * @param count maximum number of changes
	 * @return the changes, {@code null} if there are none
	 */
	@Nullable Block before(Version end, int count) throws IOException {
		List<Long> bases = bases();
		for (int i = bases.size() - 1; i >= 0; i--) {
			Deque<Version> last = changes(bases.get(i)).index().lastBefore(end, count);
			if (!last.isEmpty()) {
				Version first = last.element();
				// Precedes the first change, because its node ID sorts first.
				return new Block(bases.get(i), new Version(first.wallMillis(), first.counter(), "!"), last.size());
			}
		}
		return null;
	}

	/**
	 * Returns the base of the latest content that is not newer than a version, -1 if
	 * there is none.
	 */
	private long baseBefore(Version version) throws IOException {
		List<Long> bases = bases();
		for (int i = bases.size() - 1; i >= 0; i--) {
			if (lastChange(bases.get(i)).compareTo(version) <= 0) {
				return bases.get(i);
			}
		}
		return -1;
	}

	private Version lastChange(long base) throws IOException {
		if (base == 0) {
			return StateMachine.BEFORE_ALL;
		}
		try (SnapshotInput snapshot = snapshot(base)) {
			return new SnapshotKeys(snapshot).lastChange();
		}
	}

	/**
	 * Changes after a snapshot.
	 *
	 * @param index the changes
	 * @param places returns the place of an entry, 0 if it is not in the log
	 * @param growing whether changes are still being added because the snapshot is the
	 * latest
	 */
	record Changes(ChangeIndex index, LongUnaryOperator places, boolean growing) {
	}

	/**
	 * Consecutive changes.
	 *
	 * @param base index of the snapshot before them
	 * @param after the version after which they begin
	 * @param count number of changes
	 */
	record Block(long base, Version after, int count) {
	}

	/**
	 * The changes after the latest snapshot.
	 *
	 * @param base index of the snapshot
	 */
	private record Current(long base, ChangeIndex changes) {
	}

}
