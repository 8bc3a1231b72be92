package io.statestore.benchmarks;

import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.statestore.client.cache.CacheOptions;
import io.statestore.client.cache.StateStoreCacheManager;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.function.ThrowingFunction;

/**
 * Scenarios for cache lookups that find a value.
 */
record CacheScenarios(Servers servers) {

	private static final int KEYS = 1000;

	/** Number of lookups between two clock readings. */
	private static final int BATCH = 16;

	List<Scenario> all() {
		return List.of(scenario("@Cacheable", (lookups, cache) -> lookups::find),
				scenario("Cache.get", (lookups, cache) -> cache::get));
	}

	private Scenario scenario(String through, BiFunction<Lookups, Cache, Function<Integer, @Nullable Object>> lookup) {
		BiFunction<String, ThrowingFunction<Resources, CacheManager>, Peer> peer = (name, managers) -> new Peer(name,
				(resources) -> {
					CacheManager manager = managers.apply(resources);
					AnnotationConfigApplicationContext context = resources
						.add(new AnnotationConfigApplicationContext());
					context.registerBean(CacheManager.class, () -> manager);
					context.register(Caching.class, Lookups.class);
					context.refresh();
					Lookups lookups = context.getBean(Lookups.class);
					for (int key = 0; key < KEYS; key++) {
						lookups.find(key);
					}
					Cache cache = Objects.requireNonNull(manager.getCache("benchmark"));
					Function<Integer, @Nullable Object> find = lookup.apply(lookups, cache);
					return () -> measure(find);
				});
		return new Scenario("cache, hits through " + through + ", " + KEYS + " keys, one thread", "1/s",
				List.of(peer.apply("ours, near cache", (resources) -> ours(resources, KEYS)),
						peer.apply("Caffeine alone", (resources) -> caffeine()),
						peer.apply("Spring Data Redis with Lettuce",
								(resources) -> redis(resources, this.servers.port(Servers.REDIS)))
							.on(Servers.REDIS),
						peer.apply("ours without a near cache", (resources) -> ours(resources, 0))));
	}

	private CacheManager ours(Resources resources, int nearCacheSize) {
		Client client = resources.add(new Client(this.servers.embedded()));
		return StateStoreCacheManager.builder(client.template)
			.defaults(CacheOptions.DEFAULT.withNearCacheSize(nearCacheSize))
			.build();
	}

	private static CacheManager caffeine() {
		CaffeineCacheManager manager = new CaffeineCacheManager();
		manager.setCaffeine(Caffeine.newBuilder().maximumSize(KEYS));
		return manager;
	}

	private static CacheManager redis(Resources resources, int port) {
		RedisCacheManager manager = RedisCacheManager.create(connections(port, resources));
		manager.afterPropertiesSet();
		return manager;
	}

	/** Returns Spring Data connections to Redis. */
	static LettuceConnectionFactory connections(int port, Resources resources) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", port);
		resources.add(connections::destroy);
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

	private static double measure(Function<Integer, @Nullable Object> find) {
		long start = System.nanoTime();
		int lookups = 0;
		while (System.nanoTime() - start < Measures.ROUND_NANOS) {
			for (int i = 0; i < BATCH; i++) {
				find.apply(lookups++ % KEYS);
			}
		}
		return Measures.perSecond(lookups, start);
	}

	/** Method whose results are cached. */
	static class Lookups {

		@Cacheable("benchmark")
		public String find(Integer key) {
			return "v".repeat(100);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

	}

}
