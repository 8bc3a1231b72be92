/**
 * What a node of JRaft keeps on the disk, in the files of the broker's command log.
 */
@NullMarked
package io.statestore.cluster.storage;

import org.jspecify.annotations.NullMarked;
