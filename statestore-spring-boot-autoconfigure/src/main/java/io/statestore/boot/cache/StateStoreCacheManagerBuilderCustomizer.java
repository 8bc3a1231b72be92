package io.statestore.boot.cache;

import io.statestore.client.cache.StateStoreCacheManager;

/**
 * Callback that customizes the builder of the auto-configured cache manager, after all
 * properties have been applied.
 */
@FunctionalInterface
public interface StateStoreCacheManagerBuilderCustomizer {

	/**
	 * Customizes the builder.
	 * @param builder builder with the options configured so far
	 */
	void customize(StateStoreCacheManager.Builder builder);

}
