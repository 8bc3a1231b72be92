package io.statestore.history;

import java.util.HashMap;
import java.util.Map;

import io.statestore.history.HistorySnapshot.Entry;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Content of a store while the changes of its history are applied. */
final class Content {

	private final Map<Bytes, Entry> entries = new HashMap<>();

	/** Whether the content equals that of the store. */
	private boolean complete;

	/** Whether recorded content has been read without omission so far. */
	private boolean reading;

	private @Nullable HistoryChange last;

	void apply(HistoryChange change) {
		HistoryChange last = this.last;
		if (last != null && change.position().offset() != last.position().offset() + 1) {
			this.complete = false;
			this.reading = false;
		}
		this.last = change;
		switch (change.operation()) {
			case START -> clear(false);
			case SET, PRESENT -> this.entries.put(change.key(), new Entry(change.value(), change.keyVersion()));
			case DELETE, EXPIRE -> this.entries.remove(change.key());
			case GAP -> clear(true);
			case CONTENT -> {
				if (!this.complete) {
					clear(true);
				}
			}
			case COMPLETE -> this.complete |= this.reading;
		}
	}

	/**
	 * Checks that no change up to a version is missing.
	 * @param version the requested version
	 * @param next the first change with a greater version
	 * @throws HistoryException if changes are missing that may precede the version
	 */
	void requireNothingLost(Version version, HistoryChange next) {
		HistoryChange last = this.last;
		if (last != null && !last.version().equals(version) && (next.operation() == HistoryChange.Operation.GAP
				|| next.position().offset() != last.position().offset() + 1)) {
			throw new HistoryException("Changes are missing in the history between version " + last.version()
					+ " and version " + next.version() + ", so the content of the store at version " + version
					+ " is unknown. Rebuild the store at one of these versions, or outside of them");
		}
	}

	private void clear(boolean contentFollows) {
		this.entries.clear();
		this.complete = !contentFollows;
		this.reading = contentFollows;
	}

	/**
	 * Returns the content.
	 * @param version the requested version, or {@code null} for the latest one
	 * @throws HistoryException if the content is incomplete
	 */
	HistorySnapshot snapshot(@Nullable Version version) {
		HistoryChange last = this.last;
		if (last != null && this.reading && !this.complete) {
			throw new HistoryException("Changes are missing in the history, and the content of the store "
					+ ((version != null) ? "at version " + version : "after them")
					+ " is not recorded completely. Rebuild the store at another version, or try again later");
		}
		if (last == null || !this.complete) {
			throw new HistoryException("The history has no start of the broker "
					+ ((version != null) ? "before version " + version : "left")
					+ ", so the content of the store is unknown: retention has removed it, later changes are"
					+ " unavailable, or the version is older");
		}
		return new HistorySnapshot(this.entries, last.version(), last.position());
	}

}
