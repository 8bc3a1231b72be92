/**
 * A replicated command log for several nodes, on JRaft.
 */
@NullMarked
package io.statestore.cluster;

import org.jspecify.annotations.NullMarked;
