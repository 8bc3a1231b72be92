/**
 * Files of a store that keeps its data in a directory: the command log, the snapshots,
 * and the identity of the store. Entries are opaque bytes here.
 */
@NullMarked
package io.statestore.broker.log;

import org.jspecify.annotations.NullMarked;
