/**
 * Options for a store that keeps its data in a directory. See
 * {@link io.statestore.broker.storage.StorageOptions}.
 */
@NullMarked
package io.statestore.broker.storage;

import org.jspecify.annotations.NullMarked;
