package io.statestore.broker.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
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
 * History of a store that reads its log. In addition to the log, it keeps only the
 * version of each change and the index of its entry, see {@link ChangeIndex}: in memory
 * until the next snapshot, then in a file. A start that replays the entries behind the
 * latest snapshot finds the same versions again.
 * <p>
 * A base is the index of a snapshot behind which changes can be read.
 * <p>
 * Changes are recorded within the serial executor. All other methods are thread-safe.
 */
public final class StoreHistory implements ChangeListener {

	private static final Logger logger = LoggerFactory.getLogger(StoreHistory.class);

	private volatile HistoryLog log;

	/** The machine, {@code null} until changes are recorded. */
	private @Nullable StateMachine machine;

	/**
	 * Index of the latest entry of the log that was announced with {@link #applying}, 0
	 * if each entry of the log is one of the store.
	 */
	private long entry;

	/** Number of entries of the store that were applied before {@link #entry}. */
	private long appliedBefore;

	/** Terms of the applied entries, by the index of the first entry of each term. */
	private final NavigableMap<Long, Long> terms = new ConcurrentSkipListMap<>();

	/** Index of the snapshot with which this history began, 0 if there was none. */
	private final long origin;

	private volatile Current current;

	/**
	 * Creates a history.
	 * @param log the log
	 * @param base index of the latest snapshot, 0 if there is none
	 * @throws IOException if the directory cannot be changed
	 */
	public StoreHistory(HistoryLog log, long base) throws IOException {
		this.log = log;
		this.origin = base;
		// A process may have ended before the snapshot of these changes was complete.
		log.past().removeFrom(base);
		this.current = new Current(base, new ChangeIndex());
	}

	/**
	 * Records changes from now on. Not called before the snapshot is restored, because
	 * its keys are not changes.
	 * @param machine the machine with the content of the snapshot
	 */
	public void recordChangesOf(StateMachine machine) {
		this.machine = machine;
	}

	/**
	 * Called before the machine applies the entries of the store in an entry of the log.
	 * Not called if each entry of the log is one of the store.
	 * @param index index of the entry
	 * @param term its term
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
	 * Continues with the same log after it was opened again.
	 * @param log the open log
	 */
	public void reopened(HistoryLog log) {
		this.log = log;
	}

	@Override
	public void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		StateMachine machine = this.machine;
		if (machine != null) {
			long count = machine.entryCount();
			// The entry of a write contains its key. An expiry may remove several keys.
			Bytes ownKey = (author != null) ? null : key;
			this.current.changes.add((this.entry > 0)
					? new IndexedChange(this.entry, (int) (count - this.appliedBefore) - 1, version, ownKey)
					: new IndexedChange(this.origin + count, 0, version, ownKey));
		}
	}

	/** Called when a snapshot begins, within the serial executor. */
	public void cut() {
		this.current.changes.cut();
	}

	/**
	 * Keeps a snapshot of the consensus, and continues behind it. Called before it
	 * replaces entries.
	 * @param next index of the snapshot
	 * @param snapshot its file
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
	 * Ends this history before a snapshot of another node replaces the store. The changes
	 * between both are a gap. If the disk does not have the last entry yet, so are all
	 * changes since the latest snapshot.
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
			logger.warn("The history begins with the snapshot of entry {}, because the versions of earlier changes "
					+ "cannot be written. Check the space on the disk", next, ex);
		}
	}

	/**
	 * Begins to collect changes behind a snapshot whose earlier changes were written.
	 * Called within the serial executor.
	 * @param next index of the snapshot
	 */
	public void collectBehind(long next) {
		this.current = new Current(next, this.current.changes.behind(next));
	}

	/**
	 * Drops entries that change no key, such as those of ordinary messages, from those
	 * that the latest snapshot has replaced. Then removes files that exceed the
	 * retention.
	 */
	public void compact() {
		try {
			try {
				// First, because the retention limits the sizes that remain.
				past().compact((entry) -> this.log.entries(entry).stream().anyMatch(LogEntryCodec::isWrite));
			}
			finally {
				retain();
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.warn("Cannot reduce the history, so it takes more space than it should", ex);
		}
	}

	private void retain() throws IOException {
		long base = base();
		// The place behind the snapshot, although the next entry may not be there yet.
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

	/** Returns the changes behind a snapshot. */
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

	/** Returns the identity of the log, because other nodes have other snapshots. */
	String id() {
		return Long.toHexString(past().id().getLeastSignificantBits());
	}

	/** Returns the entries of the store in an entry of the log. */
	List<ByteBuffer> entries(ByteBuffer entry) {
		return this.log.entries(entry);
	}

	SnapshotInput snapshot(long base) throws IOException {
		return past().snapshot(base, this.log.snapshotId());
	}

	/** Opens the entries from a place in the log on, {@code null} if it is missing. */
	@Nullable EntryReader open(long place) throws IOException {
		return past().entries(place);
	}

	/** Returns the base behind another one. */
	long nextBase(long base) throws IOException {
		return bases().stream().filter((each) -> each > base).findFirst().orElseThrow();
	}

	/** Returns whether no change between two bases is missing. */
	boolean isComplete(long base, long next) throws IOException {
		return bases().contains(base) && past().readNotes(base).next() == next;
	}

	/** Returns the bases in their order. */
	private List<Long> bases() throws IOException {
		long current = base();
		List<Long> bases = new ArrayList<>(past().bases().stream().filter((base) -> base < current).toList());
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
	 * Opens the changes behind a version. If some of them are missing, or the change with
	 * this version was removed by a power failure or a restore, begins with a gap.
	 */
	HistoryReader after(Version version) throws IOException {
		long base = baseBefore(version);
		return (base >= 0 && isKnown(version, base)) ? new HistoryReader(this, base, version)
				: content(bases().get(0), 0, true);
	}

	/** Returns whether a version is that of a change. Others are points in time. */
	private boolean isKnown(Version version, long base) throws IOException {
		return !version.nodeId().equals(StateMachine.BEFORE_ALL.nodeId()) || version.equals(lastChange(base))
				|| changes(base).index().contains(version);
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
	 * Changes behind a snapshot.
	 *
	 * @param index the changes
	 * @param places returns the place of an entry, 0 if it is not in the log
	 * @param growing whether the snapshot is the latest one, so that changes are added
	 */
	record Changes(ChangeIndex index, LongUnaryOperator places, boolean growing) {
	}

	/**
	 * The changes behind the latest snapshot.
	 *
	 * @param base index of the snapshot
	 */
	private record Current(long base, ChangeIndex changes) {
	}

}
