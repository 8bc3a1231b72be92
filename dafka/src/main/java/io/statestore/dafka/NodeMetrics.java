package io.statestore.dafka;

/**
 * Counters since a node's start.
 *
 * @param peers current number of known nodes
 * @param malformed messages dropped because they are not valid Dafka messages
 * @param stalls number of times that a peer did not read for {@code stallTimeout}
 * @param dropped commands dropped because too many were waiting; timers repeat them
 * @param refused connections closed and messages dropped because a peer violated ZMTP or
 * exceeded a limit
 */
public record NodeMetrics(int peers, long malformed, long stalls, long dropped, long refused) {
}
