package io.statestore.client.observation;

/**
 * Observations of one client, and the changes for their listeners since the start. The
 * numbers are read while changes are delivered, so they may be slightly inconsistent. The
 * observations of locks count as observed keys only.
 *
 * @param observedKeys current number of observed keys, each counted once
 * @param delivered changes passed to listeners, including resynchronized ones
 * @param resynchronized delivered changes that follow possibly missed ones, such as those
 * after a reconnect, and initial values
 * @param behind current number of changes that wait for their listeners
 * @param dropped changes that a later change has replaced because a queue was full
 */
public record ObservationStatistics(int observedKeys, long delivered, long resynchronized, long behind, long dropped) {
}
