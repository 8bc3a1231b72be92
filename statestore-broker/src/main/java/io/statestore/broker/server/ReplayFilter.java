package io.statestore.broker.server;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Finds the changes of a recovery that the journal lacks. They are those behind the last
 * change in the journal, provided that the recovery passes that change. Otherwise the
 * store has lost it, or the journal belongs to another store.
 */
final class ReplayFilter {

	private final Version last;

	/** Whether the recovery has passed the last change in the journal. */
	private boolean passed;

	private boolean broken;

	/**
	 * Creates a filter for the entries behind a snapshot.
	 * @param last the version of the last change in the journal
	 * @param lastChange the version of the last change in the snapshot
	 * @param lastVersion the reading of the version clock in the snapshot
	 */
	ReplayFilter(Version last, Version lastChange, Version lastVersion) {
		this.last = last;
		this.broken = last.compareTo(lastChange) < 0;
		this.passed = last.compareTo(lastVersion) <= 0;
	}

	/**
	 * Receives the version that a start continues after. The journal may have a mark with
	 * this version.
	 */
	void started(@Nullable Version after) {
		this.passed |= this.last.equals(after);
	}

	/** Returns whether the journal lacks the next change. */
	boolean isNew(Version version) {
		int order = version.compareTo(this.last);
		this.passed |= order == 0;
		this.broken |= order > 0 && !this.passed;
		return order > 0 && !this.broken;
	}

	/** Returns whether all changes that the journal lacks were found. */
	boolean isComplete() {
		return this.passed && !this.broken;
	}

}
