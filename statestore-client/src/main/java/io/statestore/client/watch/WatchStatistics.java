package io.statestore.client.watch;

/**
 * Watches of one client, and the changes for their listeners since the start. The numbers
 * are read while changes are delivered, so they may be slightly inconsistent. The watches
 * of locks count as watched keys only.
 *
 * @param watchedKeys current number of watched keys, each counted once
 * @param delivered changes passed to listeners, including resynchronized ones
 * @param resynchronized delivered changes that follow possibly missed ones, such as those
 * after a reconnect, and initial values
 * @param behind current number of changes that wait for their listeners
 * @param dropped changes that a later change has replaced because a queue was full
 */
public record WatchStatistics(int watchedKeys, long delivered, long resynchronized, long behind, long dropped) {
}
