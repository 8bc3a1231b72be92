/**
 * Replication of the command log to several nodes with JRaft.
 */
@NullMarked
package io.statestore.cluster;

import org.jspecify.annotations.NullMarked;
