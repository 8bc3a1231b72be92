/**
 * Key watches that outlive a connection. The entry point is
 * {@link io.statestore.client.watch.KeyWatches}.
 * <p>
 * A {@code WatchedKey} keeps a key watched, and {@code SeenVersions} decides which
 * changes are new. A {@code DefaultKeyWatch} selects the changes for a listener, and a
 * {@code DeliveryQueue} delivers them.
 */
@NullMarked
package io.statestore.client.watch;

import org.jspecify.annotations.NullMarked;
