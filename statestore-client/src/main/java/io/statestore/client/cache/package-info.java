/**
 * Caches for Spring's cache abstraction that keep their values in the store. The entry
 * point is {@link io.statestore.client.cache.StateStoreCacheManager}.
 * <p>
 * A cache can have a {@code NearCache}, which also keeps values in this process. Only
 * watches add values to it.
 */
@NullMarked
package io.statestore.client.cache;

import org.jspecify.annotations.NullMarked;
