package io.statestore.testing.broker;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.Key;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.cache.CacheOptions;
import io.statestore.client.cache.StateStoreCache;
import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.protocol.Bytes;
import io.statestore.testing.junit.StateStoreExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.cache.Cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Near cache with late notifications and broken connections. */
@Timeout(60)
class NearCacheFaultsTests {

	private static final CacheOptions JSON = CacheOptions.DEFAULT
		.withValues(new JacksonValueConverter(JsonMapper.builder().build()), Object.class);

	@RegisterExtension
	static final StateStoreExtension extension = StateStoreExtension.builder().build();

	private static TestClient writer;

	private final StateStoreFaults faults = extension.faults();

	private StateStoreCacheManager manager;

	private Cache near;

	private Cache elsewhere;

	private Key key;

	@BeforeAll
	static void connect() {
		writer = extension.broker().connect("writer");
	}

	@AfterAll
	static void disconnect() {
		writer.close();
	}

	@BeforeEach
	void openCaches(TestInfo test) {
		String name = test.getTestMethod().orElseThrow().getName();
		this.manager = StateStoreCacheManager.builder(extension.operations())
			.defaults(JSON.withNearCacheSize(10))
			.build();
		this.near = Objects.requireNonNull(this.manager.getCache(name));
		this.elsewhere = Objects
			.requireNonNull(StateStoreCacheManager.builder(writer.operations()).defaults(JSON).build().getCache(name));
		this.key = Key.of(name + "::key");
	}

	@AfterEach
	void closeCaches() {
		this.faults.clear();
		this.manager.destroy();
	}

	private void warm() {
		await().until(() -> {
			long before = requests();
			this.near.get("key");
			return requests() == before;
		});
	}

	private long requests() {
		StateStoreCache.Statistics statistics = ((StateStoreCache) this.near).statistics();
		return statistics.storeHits() + statistics.misses();
	}

	@Test
	void ownWriteIsVisibleBeforeItsNotification() {
		this.near.put("key", "first");
		warm();
		InjectedFault dropped = this.faults.notifications().ofClient("test").ofKey(this.key).drop();
		this.near.put("key", "second");
		assertThat(this.near.get("key", String.class)).isEqualTo("second");
		this.near.evict("key");
		assertThat(this.near.get("key")).isNull();
		assertThat(dropped.hits()).isEqualTo(2);
	}

	/** The watcher is called after the near cache, because it was added later. */
	@Test
	void readsNewValueOnceDelayedNotificationHasArrived() {
		this.near.put("key", 0);
		warm();
		AtomicInteger arrived = new AtomicInteger();
		List<String> stale = new CopyOnWriteArrayList<>();
		StateStoreTemplate operations = extension.operations();
		try (KeyWatch watch = operations.watch(this.key, Bytes.class, (change) -> {
			Integer value = this.near.get("key", Integer.class);
			if (value == null || value <= arrived.get()) {
				stale.add(value + " after change " + arrived.get());
			}
			arrived.incrementAndGet();
		})) {
			assertThat(watch.isActive()).isTrue();
			this.faults.notifications().ofClient("test").ofKey(this.key).delay(Duration.ofMillis(30));
			for (int i = 1; i <= 20; i++) {
				this.elsewhere.put("key", i);
			}
			await().until(() -> arrived.get() == 20);
		}
		assertThat(stale).isEmpty();
		assertThat(this.near.get("key", Integer.class)).isEqualTo(20);
	}

	@Test
	void readsStoreWhileConnectionIsLost() {
		this.near.put("key", "first");
		warm();
		this.faults.refuseConnections();
		this.faults.cut("test");
		this.elsewhere.put("key", "second");
		this.faults.acceptConnections();
		await().ignoreExceptions().until(() -> "second".equals(this.near.get("key", String.class)));
		warm();
		assertThat(this.near.get("key", String.class)).isEqualTo("second");
	}

	@Test
	void emptyStoreAfterRestartEmptiesNearCache() {
		this.near.put("key", "first");
		warm();
		this.faults.restartEmpty();
		await().ignoreExceptions().until(() -> this.near.get("key") == null);
		await().ignoreExceptions().untilAsserted(() -> this.near.put("key", "second"));
		warm();
		assertThat(this.near.get("key", String.class)).isEqualTo("second");
	}

}
