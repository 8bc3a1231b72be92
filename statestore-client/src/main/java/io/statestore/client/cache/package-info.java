/**
 * Caches for Spring's cache abstraction, with values in the store. The entry point is
 * {@link io.statestore.client.cache.StateStoreCacheManager}.
 * <p>
 * A cache can have a {@code NearCache}, which keeps values in this process. Only watches
 * write to it.
 */
@NullMarked
package io.statestore.client.cache;

import org.jspecify.annotations.NullMarked;
