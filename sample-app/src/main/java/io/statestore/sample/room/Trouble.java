package io.statestore.sample.room;

import java.time.Instant;

import io.statestore.protocol.Version;

/**
 * What a button has done to a press, which may lose its lock.
 *
 * @param press name of the press
 * @param what what has happened to it, such as "was paused"
 * @param at time of the button
 */
record Trouble(String press, String what, Instant at) {

	/** A renewal may still be in flight after the trouble. */
	private static final long IN_FLIGHT_MILLIS = 1_000;

	/** Returns whether the press has survived, because it has renewed its lock later. */
	boolean isSurvivedBy(Version renewal) {
		return renewal.wallMillis() > this.at.toEpochMilli() + IN_FLIGHT_MILLIS;
	}

}
