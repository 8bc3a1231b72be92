package io.statestore.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.statestore.client.cache.CacheOptions;
import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.mqtt.Transport;

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

	private final Servers servers;

	private final long roundNanos;

	CacheScenarios(Servers servers, boolean quick) {
		this.servers = servers;
		this.roundNanos = quick ? 300_000_000L : 1_000_000_000L;
	}

	List<Scenario> all() throws IOException {
		return List.of(
				new Scenario("cache, hits through @Cacheable, " + KEYS + " keys, one thread", "1/s",
						implementations((context) -> context.getBean(Lookups.class)::find)),
				new Scenario("cache, hits through Cache.get, " + KEYS + " keys, one thread", "1/s",
						implementations(CacheScenarios::direct)));
	}

	private static Function<Integer, Object> direct(AnnotationConfigApplicationContext context) {
		var cache = context.getBean(CacheManager.class).getCache("benchmark");
		if (cache == null) {
			throw new IllegalStateException("No cache");
		}
		return (key) -> {
			var value = cache.get(key);
			return (value != null) ? value : context.getBean(Lookups.class).find(key);
		};
	}

	private List<Implementation.Factory> implementations(
			Function<AnnotationConfigApplicationContext, Function<Integer, Object>> lookup) throws IOException {
		List<Implementation.Factory> implementations = new ArrayList<>();
		implementations.add(() -> ours("ours, near cache", Transport.PAHO, KEYS, lookup));
		implementations.add(() -> open("Caffeine alone", caffeine(), () -> {
		}, lookup));
		OptionalInt redis = this.servers.redis();
		if (redis.isPresent()) {
			implementations.add(() -> redis(redis.getAsInt(), lookup));
		}
		implementations.add(() -> ours("ours without a near cache", Transport.PAHO, 0, lookup));
		implementations.add(() -> ours("ours without a near cache, on Netty", Transport.NETTY, 0, lookup));
		return implementations;
	}

	private Implementation ours(String name, Transport transport, int nearCacheSize,
			Function<AnnotationConfigApplicationContext, Function<Integer, Object>> lookup) {
		Client client = new Client(this.servers.embedded(), transport);
		StateStoreCacheManager manager = StateStoreCacheManager.builder(client.template)
			.defaults(CacheOptions.DEFAULT.withNearCacheSize(nearCacheSize))
			.build();
		return open(name, manager, client, lookup);
	}

	private static CacheManager caffeine() {
		CaffeineCacheManager manager = new CaffeineCacheManager();
		manager.setCaffeine(Caffeine.newBuilder().maximumSize(KEYS));
		return manager;
	}

	private Implementation redis(int port,
			Function<AnnotationConfigApplicationContext, Function<Integer, Object>> lookup) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", port);
		connections.afterPropertiesSet();
		connections.start();
		RedisCacheManager manager = RedisCacheManager.create(connections);
		manager.afterPropertiesSet();
		return open("Spring Data Redis with Lettuce", manager, connections::destroy, lookup);
	}

	private Implementation open(String name, CacheManager manager, AutoCloseable connection,
			Function<AnnotationConfigApplicationContext, Function<Integer, Object>> lookup) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(CacheManager.class, () -> manager);
		context.register(Caching.class, Lookups.class);
		context.refresh();
		return new CacheImplementation(name, lookup.apply(context), this.roundNanos, () -> {
			context.close();
			connection.close();
		});
	}

	private record CacheImplementation(String name, Function<Integer, Object> lookup, long roundNanos,
			AutoCloseable resources) implements Implementation {

		@Override
		public double measure() {
			long start = System.nanoTime();
			int lookups = 0;
			long elapsed;
			do {
				for (int i = 0; i < BATCH; i++) {
					this.lookup.apply(lookups++ % KEYS);
				}
				elapsed = System.nanoTime() - start;
			}
			while (elapsed < this.roundNanos);
			return lookups * 1e9 / elapsed;
		}

		@Override
		public void close() throws Exception {
			this.resources.close();
		}

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
