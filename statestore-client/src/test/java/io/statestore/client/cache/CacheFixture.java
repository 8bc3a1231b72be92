package io.statestore.client.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import tools.jackson.databind.json.JsonMapper;

/** Two processes that share the caches of a store. Each test uses its own cache. */
abstract class CacheFixture {

	/** Options for values of all types that JSON knows. */
	static final CacheOptions JSON = CacheOptions.DEFAULT
		.withValues(new JacksonValueConverter(JsonMapper.builder().build()), Object.class);

	private static final AtomicInteger caches = new AtomicInteger();

	private static final List<AutoCloseable> closeables = new ArrayList<>();

	static TestClient client;

	static TestClient other;

	final String name = "cache" + caches.incrementAndGet();

	@BeforeAll
	static void connect() {
		StateStoreBroker broker = StateStoreBroker.builder().start();
		client = new TestClient(broker.port()).start();
		other = new TestClient(broker.port()).start();
		closeables.addAll(List.of(client, other, broker));
	}

	@AfterAll
	static void close() throws Exception {
		for (AutoCloseable closeable : closeables) {
			closeable.close();
		}
		closeables.clear();
	}

	StateStoreCache cache(TestClient client, CacheOptions options) {
		return new StateStoreCache(this.name, client.template, options);
	}

	/** Returns the number of GET requests of the first process so far. */
	static long reads(StateStoreCache cache) {
		StateStoreCache.Statistics statistics = cache.statistics();
		return statistics.storeHits() + statistics.misses();
	}

}
