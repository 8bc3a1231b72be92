package io.statestore.broker.server;

import io.statestore.protocol.Version;

/**
 * Filter for the changes of a recovery that the journal lacks. They are those behind the
 * last change or mark in the journal, provided that the recovery passes it. Otherwise the
 * store has lost it, or the journal belongs to another store.
 */
final class ReplayFilter {

	private final Version last;

	/** Whether the recovery has passed the last change or mark in the journal. */
	private boolean passed;

	private boolean broken;

	/**
	 * Creates a filter for the entries behind a snapshot.
	 * @param last the version of the last change or mark in the journal
	 * @param lastChange the version of the last change or mark in the snapshot
	 */
	ReplayFilter(Version last, Version lastChange) {
		this.last = last;
		pass(lastChange);
	}

	/**
	 * Receives the version of the next change, or of a mark that a journal of the store
	 * received.
	 * @return whether the journal lacks it
	 */
	boolean pass(Version version) {
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
