package io.statestore.sample.press;

/**
 * State of a press, stored as JSON.
 *
 * @param temperature current temperature in degrees Celsius
 * @param packsPerMinute speed in packs per minute
 * @param packs number of packs since the start
 * @param pid process ID
 * @param leader whether this press leads the line
 */
record Reading(double temperature, double packsPerMinute, long packs, long pid, boolean leader) {
}
