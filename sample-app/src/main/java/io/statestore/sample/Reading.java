package io.statestore.sample;

import java.time.Instant;

/**
 * One reading of a machine, stored as JSON.
 *
 * @param percent how much of it is in use, 0 to 100
 * @param at when it was taken
 */
record Reading(double percent, Instant at) {
}
