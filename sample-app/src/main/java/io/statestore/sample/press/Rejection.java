package io.statestore.sample.press;

import java.time.Instant;

/**
 * Latest write that the store has refused, stored as JSON.
 *
 * @param count number of refused writes so far
 * @param press press that attempted the write
 * @param token that press's fencing token
 * @param newerPress leader that has written the key with a newer token
 * @param newerToken that leader's token
 * @param at time of the refusal
 */
record Rejection(long count, String press, String token, String newerPress, String newerToken, Instant at) {

	static final String KEY = "line/rejected";

}
