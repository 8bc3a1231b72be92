package io.statestore.boot.cache;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.MeterRegistry;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.cache.StateStoreCache;
import io.statestore.client.cache.StateStoreCacheManager;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.metrics.CacheMetricsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

class StateStoreCacheAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.cache.enabled=true", "statestore.embedded.enabled=true",
				"statestore.embedded.port=0", "statestore.cache.caches.products.value-type=" + Product.class.getName())
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
				StateStoreCacheAutoConfiguration.class, CacheAutoConfiguration.class))
		.withUserConfiguration(Shop.class);

	private final ApplicationContextRunner withoutBroker = new ApplicationContextRunner()
		.withPropertyValues("statestore.cache.enabled=true")
		.withBean(StateStoreTemplate.class, () -> mock(StateStoreTemplate.class))
		.withConfiguration(AutoConfigurations.of(StateStoreCacheAutoConfiguration.class, CacheAutoConfiguration.class))
		.withUserConfiguration(Caching.class);

	@Test
	void cachesResultsInStore() {
		this.contextRunner.withPropertyValues("statestore.cache.expiry=1m", "statestore.cache.key-prefix=shop/")
			.run((context) -> {
				Products products = context.getBean(Products.class);
				assertThat(products.find(7)).isEqualTo(new Product("product 7"));
				assertThat(products.find(7)).isEqualTo(new Product("product 7"));
				assertThat(products.loads()).isEqualTo(1);
				assertThat(context.getBean(StateStoreOperations.class).exists("shop/products::7")).isTrue();
				products.change(7);
				products.find(7);
				assertThat(products.loads()).isEqualTo(2);
			});
	}

	@Test
	void sharesLoadsAndCachesFutures() {
		this.contextRunner.withPropertyValues("statestore.cache.near-cache-size=100").run((context) -> {
			Products products = context.getBean(Products.class);
			products.findOnce(1);
			products.findOnce(1);
			assertThat(products.loads()).isEqualTo(1);
			assertThat(products.findLater(2)).succeedsWithin(Duration.ofSeconds(10))
				.isEqualTo(new Product("product 2"));
			// The result is cached after the caller has received it.
			StateStoreCache cache = cache(context, "products");
			await().until(() -> cache.get(2) != null);
			assertThat(products.findLater(2)).succeedsWithin(Duration.ofSeconds(10))
				.isEqualTo(new Product("product 2"));
			assertThat(products.loads()).isEqualTo(2);
			await().until(() -> {
				products.find(2);
				return cache.statistics().nearHits() > 0;
			});
		});
	}

	@Test
	void cachePropertiesReplaceDefaults() {
		this.contextRunner
			.withPropertyValues("statestore.cache.expiry=1m", "statestore.cache.near-cache-size=5",
					"statestore.cache.caches.products.expiry=2s", "statestore.cache.caches.products.null-values=false",
					"spring.cache.cache-names=orders")
			.run((context) -> {
				assertThat(context.getBean(CacheManager.class).getCacheNames()).containsExactlyInAnyOrder("orders",
						"products");
				assertThat(cache(context, "orders").options()).satisfies((options) -> {
					assertThat(options.expiry()).isEqualTo(Duration.ofMinutes(1));
					assertThat(options.nullValues()).isTrue();
				});
				assertThat(cache(context, "products").options()).satisfies((options) -> {
					assertThat(options.expiry()).isEqualTo(Duration.ofSeconds(2));
					assertThat(options.nearCacheSize()).isEqualTo(5);
					assertThat(options.nullValues()).isFalse();
				});
				context.getBean(Products.class).find(7);
				assertThat(context.getBean(StateStoreOperations.class).getValue("products::7", String.class))
					.contains("{\"name\":\"product 7\"}");
			});
	}

	@Test
	void customizerCanFixNames() {
		this.withoutBroker.withBean(StateStoreCacheManagerBuilderCustomizer.class, () -> (builder) -> builder.fixed())
			.run((context) -> assertThat(context.getBean(CacheManager.class).getCache("products")).isNull());
	}

	@Test
	void invalidOptionNamesProperty() {
		this.withoutBroker.withPropertyValues("statestore.cache.caches.products.expiry=0s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("statestore.cache.caches.products.expiry"));
	}

	@Test
	void backsOffForApplicationCacheManager() {
		this.withoutBroker.withBean(CacheManager.class, ConcurrentMapCacheManager::new)
			.run((context) -> assertThat(context).hasSingleBean(CacheManager.class)
				.doesNotHaveBean(StateStoreCacheManager.class));
	}

	@Test
	void backsOffForApplicationCacheResolver() {
		CacheResolver resolver = mock(CacheResolver.class);
		this.withoutBroker.withBean("cacheResolver", CacheResolver.class, () -> resolver)
			.withBean(CachingConfigurer.class, () -> new CachingConfigurer() {

				@Override
				public CacheResolver cacheResolver() {
					return resolver;
				}

			})
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(CacheManager.class));
	}

	@Test
	void backsOffForAnotherCacheType() {
		this.withoutBroker.withPropertyValues("spring.cache.type=none")
			.run((context) -> assertThat(context).hasSingleBean(NoOpCacheManager.class)
				.doesNotHaveBean(StateStoreCacheManager.class));
	}

	@Test
	void backsOffUnlessEnabled() {
		new ApplicationContextRunner().withBean(StateStoreTemplate.class, () -> mock(StateStoreTemplate.class))
			.withConfiguration(
					AutoConfigurations.of(StateStoreCacheAutoConfiguration.class, CacheAutoConfiguration.class))
			.withUserConfiguration(Caching.class)
			.run((context) -> assertThat(context).hasSingleBean(CacheManager.class)
				.doesNotHaveBean(StateStoreCacheManager.class));
	}

	@Test
	void backsOffIfDisabled() {
		this.withoutBroker.withPropertyValues("statestore.cache.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(CacheManager.class)
				.doesNotHaveBean(StateStoreCacheManager.class));
	}

	@Test
	void backsOffIfCachingIsNotEnabled() {
		new ApplicationContextRunner().withPropertyValues("statestore.cache.enabled=true")
			.withBean(StateStoreTemplate.class, () -> mock(StateStoreTemplate.class))
			.withConfiguration(AutoConfigurations.of(StateStoreCacheAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(CacheManager.class));
	}

	@Test
	void worksWithoutSpringBootCacheModule() {
		new ApplicationContextRunner().withPropertyValues("statestore.cache.enabled=true")
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.cache"))
			.withBean(StateStoreTemplate.class, () -> mock(StateStoreTemplate.class))
			.withConfiguration(AutoConfigurations.of(StateStoreCacheAutoConfiguration.class))
			.withUserConfiguration(Caching.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(StateStoreCacheManager.class));
	}

	@Test
	void publishesMeters() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
					SimpleMetricsExportAutoConfiguration.class, CacheMetricsAutoConfiguration.class))
			.withPropertyValues("spring.cache.cache-names=products")
			.run((context) -> {
				context.getBean(Products.class).find(7);
				context.getBean(Products.class).find(7);
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(
						registry.get("cache.gets").tags("cache", "products", "result", "hit").functionCounter().count())
					.isEqualTo(1);
				assertThat(registry.get("cache.near.size").gauge().value()).isZero();
			});
	}

	private static StateStoreCache cache(ApplicationContext context, String name) {
		return (StateStoreCache) Objects.requireNonNull(context.getBean(CacheManager.class).getCache(name));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Shop {

		@Bean
		Products products() {
			return new Products();
		}

	}

	static class Products {

		private final AtomicInteger loads = new AtomicInteger();

		/** A method, because a proxy does not have the fields of its target. */
		public int loads() {
			return this.loads.get();
		}

		@Cacheable("products")
		public Product find(int id) {
			this.loads.incrementAndGet();
			return new Product("product " + id);
		}

		@Cacheable(cacheNames = "products", sync = true)
		public Product findOnce(int id) {
			return find(id);
		}

		@Cacheable("products")
		public CompletableFuture<Product> findLater(int id) {
			return CompletableFuture.supplyAsync(() -> find(id));
		}

		@CacheEvict("products")
		public void change(int id) {
		}

	}

	record Product(String name) {
	}

}
