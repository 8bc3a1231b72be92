package io.statestore.sample.room;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The stale writes that the store has refused.
 *
 * @param count their number
 * @param latest the last one, {@code null} if there was none
 * @param explanation sentence about it, {@code null} if there was none
 */
record Rejected(long count, @Nullable Write latest, @Nullable String explanation) {

	static final Rejected NONE = new Rejected(0, null, null);

	/**
	 * A stale write.
	 *
	 * @param press the press that wrote
	 * @param token its fencing token, without the name of the store
	 * @param newerPress the press with the newer token
	 * @param newerToken the newer token, without the name of the store
	 * @param at time of the refusal, {@code null} if it is unknown
	 */
	record Write(String press, String token, String newerPress, String newerToken, @Nullable Instant at) {
	}

}
