package io.statestore.sample.press;

import java.time.Instant;

/**
 * The latest batch of packs, stored as JSON.
 *
 * @param number its number
 * @param leader the press that packed it, or a new leader that has not packed yet
 * @param token fencing token of that leader
 * @param at time when it was packed, or when the term of that leader began
 */
record Batch(long number, String leader, String token, Instant at) {

	static final String KEY = "line/batch";

	/** Before the first batch. */
	static final Batch NONE = new Batch(0, "", "", Instant.EPOCH);

}
