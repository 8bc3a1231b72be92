package io.statestore.client.cache;

import java.time.Duration;
import java.util.List;

import io.statestore.client.Key;
import io.statestore.protocol.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class StateStoreCacheManagerTests extends CacheFixture {

	private static final CacheOptions DEFAULTS = CacheOptions.DEFAULT.withExpiry(Duration.ofMinutes(1));

	@Test
	void createsCacheOnFirstUse() {
		StateStoreCacheManager manager = StateStoreCacheManager.builder(client.template).defaults(DEFAULTS).build();
		assertThat(manager.getCacheNames()).isEmpty();
		Cache cache = manager.getCache("name");
		assertThat(manager.getCache("name")).isSameAs(cache);
		assertThat(manager.getCacheNames()).containsExactly("name");
		assertThat(((StateStoreCache) requireNonNull(cache)).options()).isEqualTo(DEFAULTS);
	}

	@Test
	void fixedManagerHasNoOtherCaches() {
		StateStoreCacheManager manager = StateStoreCacheManager.builder(client.template)
			.cacheNames(List.of("first", "second"))
			.cache("second", DEFAULTS)
			.fixed()
			.build();
		assertThat(manager.getCacheNames()).containsExactlyInAnyOrder("first", "second");
		assertThat(manager.getCache("third")).isNull();
		assertThat(((StateStoreCache) requireNonNull(manager.getCache("second"))).options()).isEqualTo(DEFAULTS);
	}

	@Test
	void refusesAmbiguousNames() {
		StateStoreCacheManager manager = StateStoreCacheManager.builder(client.template).build();
		for (String name : List.of("", "a::b", "a:")) {
			assertThatIllegalArgumentException().isThrownBy(() -> manager.getCache(name))
				.withMessageContaining("but is '" + name + "'");
		}
	}

	@Test
	void refusesInvalidOptions() {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> CacheOptions.DEFAULT.withExpiry(Duration.ZERO))
			.withMessageStartingWith("'expiry' must be 1 ms to 36500 days");
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> CacheOptions.DEFAULT.withNearCacheSize(-1))
			.withMessageStartingWith("'nearCacheSize' must be 0 to 1000000");
	}

	@Test
	void writesAfterTransactionCommit() {
		Cache cache = requireNonNull(
				StateStoreCacheManager.builder(client.template).transactionAware().build().getCache(this.name));
		TransactionSynchronizationManager.initSynchronization();
		try {
			cache.put("key", "value");
			assertThat(cache.get("key")).isNull();
			TransactionSynchronizationUtils.triggerAfterCommit();
			assertThat(cache.get("key", String.class)).isEqualTo("value");
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	@Test
	void namesDependencyMissingForTransactions() {
		ClassLoader empty = new ClassLoader(null) {
		};
		assertThatIllegalStateException().isThrownBy(() -> StateStoreCacheManager.Builder.requireTransactions(empty))
			.withMessageContaining("org.springframework:spring-context-support");
	}

	@Test
	void destroyEndsWatches() {
		StateStoreCacheManager manager = StateStoreCacheManager.builder(client.template)
			.defaults(DEFAULTS.withNearCacheSize(10))
			.build();
		Cache cache = requireNonNull(manager.getCache(this.name));
		Key key = Key.of(this.name + "::key");
		cache.put("key", "value");
		cache.get("key");
		await().until(() -> client.watches.isActive(key));
		manager.destroy();
		await().until(() -> !client.watches.isActive(key));
		assertThat(cache.get("key", String.class)).isEqualTo("value");
		assertThat(client.watches.isActive(key)).isFalse();
	}

}
