package io.statestore.dafka.node;

/**
 * What a node counted since it started.
 *
 * @param peers how many others it knows now
 * @param received messages that arrived
 * @param malformed messages that were dropped because they are no Dafka
 * @param stalls how often a peer did not read for longer than {@code stallTimeout}
 * @param dropped commands that had no room; each is repeated by a timer
 * @param refused connections that were closed, and messages that were dropped, because a
 * peer violated ZMTP or exceeded a limit
 */
public record NodeMetrics(int peers, long received, long malformed, long stalls, long dropped, long refused) {
}
