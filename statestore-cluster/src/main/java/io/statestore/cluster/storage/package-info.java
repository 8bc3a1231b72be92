/**
 * A JRaft node's storage, in files with the format of the broker's command log.
 */
@NullMarked
package io.statestore.cluster.storage;

import org.jspecify.annotations.NullMarked;
