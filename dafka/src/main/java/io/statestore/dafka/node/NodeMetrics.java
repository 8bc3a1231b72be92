package io.statestore.dafka.node;

/**
 * Counters of a node since its start.
 *
 * @param peers current number of known nodes
 * @param received received messages
 * @param malformed dropped messages that are not valid Dafka messages
 * @param stalls times that a peer did not read for longer than {@code stallTimeout}
 * @param dropped commands dropped for lack of room; each is repeated by a timer
 * @param refused connections that were closed, and messages that were dropped, because a
 * peer violated ZMTP or exceeded a limit
 */
public record NodeMetrics(int peers, long received, long malformed, long stalls, long dropped, long refused) {
}
