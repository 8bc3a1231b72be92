/**
 * Watches of keys that outlive a connection. The entry point is
 * {@link io.statestore.client.watch.KeyWatches}.
 * <p>
 * A {@code WatchedKey} keeps one key watched, and {@code SeenVersions} decides which
 * changes are new. A {@code DefaultKeyWatch} selects the changes for one listener, and a
 * {@code DeliveryQueue} delivers them to it.
 */
@NullMarked
package io.statestore.client.watch;

import org.jspecify.annotations.NullMarked;
