package io.statestore.boot.cache;

import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.ValueConverter;
import io.statestore.client.cache.CacheOptions;
import io.statestore.client.cache.StateStoreCache;
import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.mqtt.StateStoreConnection;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.cache.metrics.CacheMeterBinderProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for a {@link CacheManager} if {@code statestore.cache.enabled} is
 * {@code true}, caching is enabled, the application defines no cache manager, and
 * {@code spring.cache.type} is not set. Spring Boot's own cache types form a closed list,
 * so this auto-configuration runs before them.
 */
@AutoConfiguration(after = StateStoreAutoConfiguration.class,
		beforeName = { "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration",
				"org.springframework.boot.cache.autoconfigure.metrics.CacheMetricsAutoConfiguration" })
@ConditionalOnClass({ CacheManager.class, StateStoreCacheManager.class })
@ConditionalOnBean(CacheAspectSupport.class)
@ConditionalOnSingleCandidate(StateStoreTemplate.class)
@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
@ConditionalOnBooleanProperty("statestore.cache.enabled")
@ConditionalOnProperty(name = "spring.cache.type", havingValue = "statestore", matchIfMissing = true)
@EnableConfigurationProperties(StateStoreCacheProperties.class)
public final class StateStoreCacheAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StateStoreCacheManager cacheManager(ObjectProvider<StateStoreTemplate> template,
			StateStoreCacheProperties properties, ObjectProvider<ValueConverter> converter,
			ObjectProvider<StateStoreCacheManagerBuilderCustomizer> customizers, Environment environment,
			BeanFactory beans) {
		CacheOptionsFactory factory = new CacheOptionsFactory(properties, converter.getIfUnique());
		CacheOptions defaults = factory.defaults();
		StateStoreCacheManager.Builder builder = StateStoreCacheManager
			.builder(template.getIfAvailable(() -> separateTemplate(beans, environment)))
			.defaults(defaults)
			.cacheNames(Binder.get(environment)
				.bind("spring.cache.cache-names", Bindable.listOf(String.class))
				.orElseGet(List::of));
		properties.caches().forEach((name, cache) -> builder.cache(name, factory.of(name, cache, defaults)));
		if (properties.transactionAware()) {
			builder.transactionAware();
		}
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder.build();
	}

	/** Returns a template with which caches work in tests that mock the operations. */
	private static StateStoreTemplate separateTemplate(BeanFactory beans, Environment environment) {
		return new StateStoreTemplate(beans.getBean("stateStoreConnection", StateStoreConnection.class), null,
				beans.getBean("stateStoreKeyWatches", KeyWatcher.class))
			.withKeyPrefix(environment.getProperty("statestore.key-prefix", ""));
	}

	/** Provides the caches' meters, which Spring Boot registers. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ CacheMeterBinderProvider.class, MeterRegistry.class })
	static class Metrics {

		@Bean
		CacheMeterBinderProvider<StateStoreCache> stateStoreCacheMeterBinderProvider() {
			return StateStoreCacheMeters::new;
		}

	}

}
