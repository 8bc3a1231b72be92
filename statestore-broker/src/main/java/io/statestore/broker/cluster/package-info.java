/**
 * Seam between the broker and the consensus of several nodes, which the module
 * {@code statestore-cluster} implements.
 */
@NullMarked
package io.statestore.broker.cluster;

import org.jspecify.annotations.NullMarked;
