package io.statestore.sample.press;

import java.time.Instant;

/**
 * The latest batch of packs, stored as JSON.
 *
 * @param number number of the batch, from 1; 0 before the first batch
 * @param leader press that packed the batch, or a new leader that has not packed yet
 * @param token fencing token of that leader
 * @param at time when the batch was packed or when that leader's term began
 */
record Batch(long number, String leader, String token, Instant at) {

	static final String KEY = "line/batch";

	/** State before the first batch. */
	static final Batch NONE = new Batch(0, "", "", Instant.EPOCH);

}
