package io.statestore.sample;

import java.time.Instant;

/**
 * A reading of one sensor of a machine, stored as JSON.
 *
 * @param percent utilization in percent, 0 to 100
 * @param at time of the measurement
 */
record Reading(double percent, Instant at) {
}
