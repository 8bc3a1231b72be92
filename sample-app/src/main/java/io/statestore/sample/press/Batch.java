package io.statestore.sample.press;

import java.time.Instant;

/**
 * The latest batch of packs, stored as JSON.
 *
 * @param number its number
 * @param leader the press that packed it
 * @param token fencing token of the term in which the packing began
 * @param at time when it was packed
 */
record Batch(long number, String leader, String token, Instant at) {

	static final String KEY = "line/batch";

	/** Before the first batch. */
	static final Batch NONE = new Batch(0, "", "", Instant.EPOCH);

}
