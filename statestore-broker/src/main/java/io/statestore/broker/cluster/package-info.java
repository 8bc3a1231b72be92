/**
 * The interface between the broker and the consensus between nodes, which the
 * {@code statestore-cluster} module implements.
 */
@NullMarked
package io.statestore.broker.cluster;

import org.jspecify.annotations.NullMarked;
