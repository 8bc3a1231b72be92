/**
 * Network side of producers, consumers, stores, and towers: nodes and their threads,
 * discovery through beacons ({@code Peers}, {@code Tower*}, {@code Candidate*}), sockets
 * that withstand hostile peers ({@code Zmtp*}, {@code Connection}), and encryption
 * ({@code Curve*}). Internal: not part of the API.
 */
@NullMarked
package io.statestore.dafka.node.internal;

import org.jspecify.annotations.NullMarked;
