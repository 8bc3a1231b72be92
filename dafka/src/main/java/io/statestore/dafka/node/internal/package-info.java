/**
 * Network side of producers, consumers, stores, and towers: nodes and their threads,
 * beacons ({@code Peer*}, {@code Tower*}, {@code Candidate*}), sockets that withstand
 * hostile peers ({@code Guarded*}, {@code Connection*}), and encryption ({@code Curve*}).
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.dafka.node.internal;

import org.jspecify.annotations.NullMarked;
