package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.statestore.client.cache.CacheOptions;
import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.mqtt.Transport;
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

/** Scenarios of caches whose lookups find a value. */
final class CacheScenarios {

	private static final int KEYS = 1000;

	/** Lookups between two looks at the clock. */
	private static final int BATCH = 16;

	private static final long ROUND_NANOS = 500_000_000;

	private CacheScenarios() {
	}

	static List<Scenario> all(Servers servers) {
		return List.of(scenario("@Cacheable", servers, (lookups, cache) -> lookups::find),
				scenario("Cache.get", servers, (lookups, cache) -> cache::get));
	}

	private static Scenario scenario(String through, Servers servers, Lookup lookup) {
		List<Peer> peers = new ArrayList<>();
		peers.add(ours("ours, near cache", servers, Transport.PAHO, KEYS, lookup));
		peers.add(peer("Caffeine alone", (resources) -> {
			CaffeineCacheManager manager = new CaffeineCacheManager();
			manager.setCaffeine(Caffeine.newBuilder().maximumSize(KEYS));
			return manager;
		}, lookup));
		if (Servers.REDIS.isInstalled()) {
			peers.add(peer("Spring Data Redis with Lettuce", (resources) -> {
				LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1",
						servers.port(Servers.REDIS));
				resources.add(connections::destroy);
				connections.afterPropertiesSet();
				connections.start();
				RedisCacheManager manager = RedisCacheManager.create(connections);
				manager.afterPropertiesSet();
				return manager;
			}, lookup));
		}
		peers.add(ours("ours without a near cache", servers, Transport.PAHO, 0, lookup));
		peers.add(ours("ours without a near cache, on Netty", servers, Client.FAST, 0, lookup));
		return new Scenario("cache, hits through " + through + ", " + KEYS + " keys, one thread", "1/s", peers);
	}

	private static Peer ours(String name, Servers servers, Transport transport, int nearCacheSize, Lookup lookup) {
		return peer(name, (resources) -> {
			Client client = resources.add(new Client(Client.options(servers.embedded()).transport(transport)));
			return StateStoreCacheManager.builder(client.template)
				.defaults(CacheOptions.DEFAULT.withNearCacheSize(nearCacheSize))
				.build();
		}, lookup);
	}

	private static Peer peer(String name, Managers managers, Lookup lookup) {
		return new Peer(name, (resources) -> {
			CacheManager manager = managers.open(resources);
			AnnotationConfigApplicationContext context = resources.add(new AnnotationConfigApplicationContext());
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
	}

	private static double measure(Function<Integer, @Nullable Object> find) {
		long start = System.nanoTime();
		int lookups = 0;
		while (System.nanoTime() - start < ROUND_NANOS) {
			for (int i = 0; i < BATCH; i++) {
				find.apply(lookups++ % KEYS);
			}
		}
		return Measures.perSecond(lookups, start);
	}

	/** Connects a cache manager. */
	@FunctionalInterface
	private interface Managers {

		CacheManager open(Resources resources) throws Exception;

	}

	/** Returns the function that looks up a key. */
	private interface Lookup extends BiFunction<Lookups, Cache, Function<Integer, @Nullable Object>> {

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
