package io.statestore.broker.history;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.SnapshotKeys;
import io.statestore.broker.history.ChangeIndex.IndexedChange;
import io.statestore.broker.history.StoreHistory.Changes;
import io.statestore.broker.log.EntryReader;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Reads a store's changes in order: the keys in a snapshot, then the changes made by
 * later entries. Memory use does not depend on the store's size. Not thread-safe.
 */
final class HistoryReader implements Closeable {

	private final StoreHistory history;

	/** Index of the snapshot after which changes are read. */
	private long base;

	private @Nullable SnapshotInput snapshot;

	/** Keys in the snapshot, {@code null} once all have been read. */
	private @Nullable SnapshotKeys keys;

	/** Number of snapshot keys read. */
	private long keyCount;

	/** Number of snapshot keys that an earlier reader has returned. */
	private long skipped;

	/** The gap to return next. */
	private @Nullable StoredChange gap;

	/** Version of the latest change. */
	private Version last;

	/** Changes after {@link #base}, set together with {@link #indexReader}. */
	private @Nullable Changes changes;

	private ChangeIndex.@Nullable Reader indexReader;

	/** Whether the next change is not in this node's log yet. */
	private boolean waiting;

	private @Nullable EntryReader entries;

	/** Store entries in the log entry read last. */
	private List<ByteBuffer> entry = List.of();

	/**
	 * Creates a reader.
	 * @param base index of a snapshot
	 * @param last the version after which the changes begin
	 */
	HistoryReader(StoreHistory history, long base, Version last) {
		this.history = history;
		this.base = base;
		this.last = last;
	}

	/**
	 * Begins with the snapshot's content.
	 * @param skipped number of its keys that an earlier reader has returned
	 * @param gap whether changes before the snapshot are missing
	 */
	void beginWithContent(long skipped, boolean gap) throws IOException {
		if (this.base > 0) {
			this.snapshot = this.history.snapshot(this.base);
			SnapshotKeys keys = new SnapshotKeys(this.snapshot);
			this.keys = keys;
			this.last = keys.lastChange();
			this.keyCount = 0;
			this.skipped = skipped;
		}
		if (gap) {
			this.gap = new StoredChange(Operation.GAP, Bytes.EMPTY, Bytes.EMPTY, this.last, null, null);
		}
	}

	/** Returns whether an earlier reader has already returned the latest change. */
	boolean isSkipped() {
		return this.keyCount > 0 && this.keyCount <= this.skipped;
	}

	/** Returns the version of the latest change. */
	Version last() {
		return this.last;
	}

	/**
	 * Returns the token with which another reader can continue. The token is the version
	 * of the latest change. While the keys of a snapshot are read, it is the log's
	 * identity, the base, and the number of keys read, separated by slashes.
	 */
	String position() {
		return (this.keys != null) ? this.history.id() + '/' + this.base + '/' + Math.max(this.keyCount, this.skipped)
				: this.last.toString();
	}

	/** Returns whether the next change was applied, but is not in the log yet. */
	boolean isWaiting() {
		return this.waiting;
	}

	/** Returns the next change, {@code null} if there is none yet. */
	@Nullable StoredChange next() throws IOException {
		this.waiting = false;
		StoredChange gap = this.gap;
		if (gap != null) {
			this.gap = null;
			return gap;
		}
		StoredChange key = nextKey();
		if (key != null) {
			return key;
		}
		IndexedChange change = nextIndexed();
		if (change == null) {
			return (this.gap != null) ? next() : null;
		}
		if (change.key() != null) {
			this.last = change.version();
			return new StoredChange(Operation.EXPIRE, change.key(), Bytes.EMPTY, change.version(), null, null);
		}
		return readWrite(change);
	}

	private @Nullable StoredChange nextKey() throws IOException {
		SnapshotKeys.Key key = (this.keys != null) ? this.keys.next() : null;
		if (key == null) {
			closeSnapshot();
			return null;
		}
		this.keyCount++;
		return new StoredChange(Operation.PRESENT, key.key(), key.value(), key.version(), null, null);
	}

	private @Nullable StoredChange readWrite(IndexedChange change) throws IOException {
		Changes changes = Objects.requireNonNull(this.changes);
		long place = changes.places().applyAsLong(change.entry());
		if (place == 0 && changes.growing()) {
			this.indexReader = null;
			// Unless a newer snapshot has replaced the entry, the entry is only late.
			this.waiting = this.base == this.history.base();
			return this.waiting ? null : next();
		}
		StoredChange read = (place > 0) ? read(change, place) : null;
		if (read == null) {
			continueBehindNext(true);
			return next();
		}
		this.last = change.version();
		return read;
	}

	private @Nullable IndexedChange nextIndexed() throws IOException {
		while (true) {
			if (this.indexReader == null) {
				this.changes = this.history.changes(this.base);
				this.indexReader = this.changes.index().readBehind(this.last);
			}
			// The base must be read first: once there is a newer snapshot, nothing is
			// added to the index.
			long current = this.history.base();
			IndexedChange change = this.indexReader.next();
			if (change != null || this.base == current) {
				return change;
			}
			continueBehindNext(false);
			if (this.gap != null) {
				return null;
			}
		}
	}

	/**
	 * Continues after the next snapshot.
	 * @param missing whether a change before that snapshot is missing
	 */
	private void continueBehindNext(boolean missing) throws IOException {
		if (this.base == this.history.base()) {
			throw new IOException("Entries after the latest snapshot are missing");
		}
		long next = this.history.nextBase(this.base);
		boolean gap = missing || !this.history.isComplete(this.base, next);
		this.base = next;
		this.indexReader = null;
		if (gap) {
			closeEntries();
			beginWithContent(0, true);
		}
	}

	/** Reads a change. Returns {@code null} if its entry is missing. */
	private @Nullable StoredChange read(IndexedChange change, long place) throws IOException {
		EntryReader entries = this.entries;
		if (entries == null) {
			entries = this.history.open(place);
			if (entries == null) {
				return null;
			}
			this.entries = entries;
			this.entry = List.of();
		}
		// The log entry read last, which precedes index(), may contain several changes.
		if (this.entry.isEmpty() || entries.index() <= place) {
			ByteBuffer entry = entries.next();
			while (entry != null && entries.index() <= place) {
				entry = entries.next();
			}
			this.entry = (entry != null) ? this.history.entries(entry) : List.of();
		}
		return (change.number() < this.entry.size()) ? decode(this.entry.get(change.number()), change) : null;
	}

	private static StoredChange decode(ByteBuffer entry, IndexedChange change) {
		if (!(LogEntryCodec.decode(entry) instanceof LogEntry.Write write)) {
			throw new IllegalStateException("entry " + change.entry() + " of the log cannot have changed a key");
		}
		Requester requester = write.requester();
		Command.Write command = write.command();
		Bytes value = (command instanceof Command.Set set) ? set.value() : change.sum();
		return new StoredChange((value != null) ? Operation.SET : Operation.DELETE, command.key(),
				(value != null) ? value : Bytes.EMPTY, change.version(), requester.clientId(), requester.principal());
	}

	private void closeSnapshot() throws IOException {
		this.keys = null;
		if (this.snapshot != null) {
			this.snapshot.close();
			this.snapshot = null;
		}
	}

	private void closeEntries() throws IOException {
		if (this.entries != null) {
			this.entries.close();
			this.entries = null;
		}
	}

	@Override
	public void close() throws IOException {
		try {
			closeSnapshot();
		}
		finally {
			closeEntries();
		}
	}

}
