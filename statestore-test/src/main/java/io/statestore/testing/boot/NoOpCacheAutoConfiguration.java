package io.statestore.testing.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration that {@link StateStoreTest} adds for applications that enable
 * caching. Nothing is cached unless the application caches in the state store.
 */
@AutoConfiguration(afterName = { "io.statestore.boot.cache.StateStoreCacheAutoConfiguration",
		"org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration" })
@ConditionalOnBean(CacheAspectSupport.class)
@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
final class NoOpCacheAutoConfiguration {

	@Bean
	NoOpCacheManager cacheManager() {
		return new NoOpCacheManager();
	}

}
