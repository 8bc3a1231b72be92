package io.statestore.sample.press;

import java.time.Instant;

/**
 * The latest write that the store has refused, stored as JSON.
 *
 * @param count number of refused writes
 * @param press the press that wrote
 * @param token its fencing token
 * @param newerPress the leader that has written the key with a newer token
 * @param newerToken the token of that leader
 * @param at time of the refusal
 */
record Rejection(long count, String press, String token, String newerPress, String newerToken, Instant at) {

	static final String KEY = "line/rejected";

}
