package io.statestore.sample.room;

import java.time.Instant;

/**
 * An entry of the event log.
 *
 * @param number number of the entry, counted from 1
 * @param at its time
 * @param kind what happened
 * @param text a sentence about it
 */
record LogEntry(long number, Instant at, Kind kind, String text) {

	/** Kind of an entry. */
	enum Kind {

		/** A change of a value, or the effect of a button. */
		CHANGE,

		/** Another press leads. */
		LEADER,

		/** The store refused a stale write. */
		REJECTED,

		/** A press or the broker has become unavailable. */
		FAILURE

	}

}
