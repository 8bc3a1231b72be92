/**
 * Replicates the command log to several nodes, using JRaft.
 */
@NullMarked
package io.statestore.cluster;

import org.jspecify.annotations.NullMarked;
