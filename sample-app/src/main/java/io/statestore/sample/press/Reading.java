package io.statestore.sample.press;

/**
 * State of a press, stored as JSON.
 *
 * @param temperature temperature in degrees Celsius
 * @param packsPerMinute speed in packs per minute
 * @param packs number of packs since the start
 * @param pid id of the process
 * @param leader whether this press leads the line
 */
record Reading(double temperature, double packsPerMinute, long packs, long pid, boolean leader) {
}
