package io.statestore.client.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.StateStoreConversionException;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.interceptor.SimpleKey;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Behavior of Spring's cache abstraction, and of values that processes share. */
@Timeout(60)
class StateStoreCacheTests extends CacheFixture {

	private final StateStoreCache cache = cache(client, JSON);

	private final StateStoreCache elsewhere = cache(other, JSON);

	@Test
	void returnsNameAndNativeStore() {
		assertThat(this.cache.getName()).isEqualTo(this.name);
		assertThat(this.cache.getNativeCache()).isSameAs(client.template);
	}

	@Test
	void missingKeyHasNoWrapper() {
		assertThat(this.cache.get("key")).isNull();
		assertThat(this.cache.get("key", String.class)).isNull();
	}

	@Test
	void otherProcessFindsValue() {
		List<Object> value = List.of("text", 1, true);
		this.cache.put("key", value);
		assertThat(this.elsewhere.get("key")).extracting(Cache.ValueWrapper::get).isEqualTo(value);
	}

	@Test
	void overwritesValue() {
		this.cache.put("key", "first");
		this.elsewhere.put("key", "second");
		assertThat(this.cache.get("key", String.class)).isEqualTo("second");
	}

	@Test
	void cachesNull() {
		this.cache.put("key", null);
		assertThat(this.elsewhere.get("key")).isNotNull().extracting(Cache.ValueWrapper::get).isNull();
		assertThat(this.elsewhere.get("key", String.class)).isNull();
		assertThat(this.elsewhere.<Object>get("key", () -> "loaded")).isNull();
	}

	@Test
	void refusesNullIfNotPermitted() {
		StateStoreCache strict = cache(client, JSON.withNullValues(false));
		assertThatIllegalArgumentException().isThrownBy(() -> strict.put("key", null));
		assertThat(strict.get("key")).isNull();
	}

	@Test
	void refusesValueOfAnotherType() {
		this.cache.put("key", 1);
		assertThatIllegalStateException().isThrownBy(() -> this.cache.get("key", String.class));
	}

	@Test
	void putIfAbsentStoresOnce() {
		assertThat(this.cache.putIfAbsent("key", "first")).isNull();
		assertThat(this.elsewhere.putIfAbsent("key", "second")).extracting(Cache.ValueWrapper::get).isEqualTo("first");
		assertThat(this.cache.get("key", String.class)).isEqualTo("first");
	}

	@Test
	void putIfAbsentFindsNull() {
		this.cache.put("key", null);
		assertThat(this.elsewhere.putIfAbsent("key", "second")).isNotNull()
			.extracting(Cache.ValueWrapper::get)
			.isNull();
	}

	@Test
	void evictsInEveryProcess() {
		this.cache.put("key", "value");
		this.elsewhere.evict("key");
		assertThat(this.cache.get("key")).isNull();
	}

	@Test
	void reportsWhetherEvictedKeyWasPresent() {
		this.cache.put("key", "value");
		assertThat(this.cache.evictIfPresent("key")).isTrue();
		assertThat(this.cache.evictIfPresent("key")).isFalse();
	}

	@Test
	void clearsOnlyItsOwnKeys() {
		StateStoreCache special = new StateStoreCache(this.name + "[*?]", client.template, JSON);
		StateStoreCache similar = new StateStoreCache(this.name + "*x", client.template, JSON);
		this.cache.put("key", "value");
		similar.put("key", "value");
		for (int i = 0; i < 300; i++) {
			special.put(i, i);
		}
		special.clear();
		assertThat(special.get(0)).isNull();
		assertThat(client.template.scan(this.name + "[[][*]*")).isEmpty();
		assertThat(this.cache.get("key")).isNotNull();
		assertThat(similar.get("key")).isNotNull();
	}

	@Test
	void invalidateReportsWhetherKeysWerePresent() {
		this.cache.put("key", "value");
		assertThat(this.cache.invalidate()).isTrue();
		assertThat(this.cache.invalidate()).isFalse();
		assertThat(this.cache.get("key")).isNull();
	}

	@Test
	void storeDeletesExpiredValue() {
		StateStoreCache brief = cache(client, JSON.withExpiry(Duration.ofMillis(50)));
		brief.put("key", "value");
		brief.<Object>get("loaded", () -> "value");
		await().until(() -> this.elsewhere.get("key") == null && this.elsewhere.get("loaded") == null);
	}

	@Test
	void loadsMissingValueOnce() {
		assertThat(this.cache.<Object>get("key", () -> "loaded")).isEqualTo("loaded");
		assertThat(this.elsewhere.<Object>get("key", () -> "again")).isEqualTo("loaded");
	}

	@Test
	void loaderCanReturnNull() {
		assertThat(this.cache.<Object>get("key", () -> null)).isNull();
		assertThat(this.elsewhere.get("key")).isNotNull();
	}

	@Test
	void loaderFailureNamesKeyAndIsNotCached() {
		IllegalStateException failure = new IllegalStateException("expected");
		Callable<Object> loader = () -> {
			throw failure;
		};
		assertThatExceptionOfType(ValueRetrievalException.class).isThrownBy(() -> this.cache.get("key", loader))
			.withCause(failure)
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("key"));
		assertThat(this.cache.get("key")).isNull();
	}

	@Test
	void threadsInProcessShareLoader() throws Exception {
		int threads = 8;
		AtomicInteger loads = new AtomicInteger();
		CountDownLatch ready = new CountDownLatch(threads);
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<Object>> results = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				results.add(executor.submit(() -> {
					ready.countDown();
					ready.await();
					return this.cache.<Object>get("key", loads::incrementAndGet);
				}));
			}
			for (Future<Object> result : results) {
				assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo(1);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	@Test
	void loaderCanUseSameKey() {
		assertThat(this.cache.<Object>get("key", () -> this.cache.get("key", () -> "inner"))).isEqualTo("inner");
	}

	@Test
	void keysWithSameStringFormAreSameKey() {
		this.cache.put(1, "value");
		assertThat(this.cache.get(1L, String.class)).isEqualTo("value");
		assertThat(this.cache.get("1", String.class)).isEqualTo("value");
	}

	@Test
	void processThatLoadsLaterGetsStoredValue() {
		Object result = this.cache.get("key", () -> {
			this.elsewhere.put("key", "faster");
			return "slower";
		});
		assertThat(result).isEqualTo("faster");
	}

	@Test
	void retrievesWrapperOrNothing() {
		assertThat(this.cache.retrieve("key")).succeedsWithin(Duration.ofSeconds(10)).isNull();
		this.cache.put("key", "value");
		assertThat(this.cache.retrieve("key")).succeedsWithin(Duration.ofSeconds(10))
			.extracting((wrapper) -> ((Cache.ValueWrapper) wrapper).get())
			.isEqualTo("value");
	}

	@Test
	void retrievesNullAsWrapper() {
		this.cache.put("key", null);
		assertThat(this.cache.retrieve("key")).succeedsWithin(Duration.ofSeconds(10))
			.extracting((wrapper) -> ((Cache.ValueWrapper) wrapper).get())
			.isNull();
	}

	@Test
	void concurrentRetrievalsShareLoad() {
		AtomicInteger loads = new AtomicInteger();
		CompletableFuture<Object> source = new CompletableFuture<>();
		CompletableFuture<Object> first = this.cache.retrieve("key", () -> {
			loads.incrementAndGet();
			return source;
		});
		CompletableFuture<Object> second = this.cache.retrieve("key", () -> {
			loads.incrementAndGet();
			return source;
		});
		source.complete("loaded");
		assertThat(first).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("loaded");
		assertThat(second).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("loaded");
		assertThat(loads).hasValue(1);
		assertThat(this.elsewhere.get("key", String.class)).isEqualTo("loaded");
	}

	@Test
	void retrievalFailsWithLoadFailure() {
		IllegalStateException failure = new IllegalStateException("expected");
		assertThat(this.cache.retrieve("key", () -> CompletableFuture.failedFuture(failure)))
			.failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCause(failure);
		assertThat(this.cache.retrieve("key", () -> CompletableFuture.completedFuture("next")))
			.succeedsWithin(Duration.ofSeconds(10))
			.isEqualTo("next");
	}

	@Test
	void keysAreReadableStrings() {
		this.cache.put(new SimpleKey("a", 1), "value");
		this.cache.put(List.of(1L, "b"), "value");
		this.cache.put(new Object[] { 'c', 2 }, "value");
		assertThat(client.template.scan(this.name + "::*").stream().map(Object::toString)).containsExactlyInAnyOrder(
				this.name + "::SimpleKey [a, 1]", this.name + "::[1, b]", this.name + "::{c, 2}");
	}

	@Test
	void refusesKeyWithoutStringForm() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.cache.put(new Object(), "value"))
			.withMessageContaining("java.lang.Object does not override toString()");
		assertThatIllegalArgumentException().isThrownBy(() -> this.cache.get(List.of(new int[0])))
			.withMessageContaining("int[] does not override toString()");
	}

	@Test
	void storesSingleTypeAsJson() {
		CacheOptions json = JSON.withValues(new JacksonValueConverter(JsonMapper.builder().build()), Product.class)
			.withKeyPrefix("shop/");
		StateStoreCache products = cache(client, json);
		products.put(7, new Product("belt", 7));
		products.put(8, null);
		assertThat(client.template.getValue("shop/" + this.name + "::7", String.class))
			.contains("{\"name\":\"belt\",\"id\":7}");
		assertThat(cache(other, json).get(7, Product.class)).isEqualTo(new Product("belt", 7));
		assertThat(cache(other, json).get(8)).isNotNull();
	}

	@Test
	void storesOnlyStringsWithoutConverter() {
		StateStoreCache texts = cache(client, CacheOptions.DEFAULT);
		texts.put("key", "grün");
		assertThat(texts.get("key", String.class)).isEqualTo("grün");
		assertThat(client.template.getValue(this.name + "::key", String.class)).contains("grün");
		assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> texts.put("key", 7))
			.withMessageContainingAll("java.lang.Integer", "CacheOptions.withValues", "value-type");
		assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> texts.put("key", "\ud800"));
		client.template.set(this.name + "::key", Bytes.wrap(new byte[] { (byte) 0xff }));
		assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> texts.get("key"))
			.withMessageContaining("it is not UTF-8");
	}

	@Test
	void unreadableValueNamesKey() {
		client.template.set(this.name + "::key", Bytes.wrap(new byte[] { (byte) 0xff }));
		assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> this.cache.get("key"))
			.withMessageStartingWith("The cached value of key '" + this.name + "::key' cannot be read");
	}

	@Test
	void countsLookupsAndWrites() {
		this.cache.get("key");
		this.cache.put("key", "value");
		this.cache.get("key");
		this.cache.<Object>get("other", () -> "value");
		this.cache.evict("key");
		this.cache.evict("key");
		assertThat(this.cache.statistics()).isEqualTo(new StateStoreCache.Statistics(0, 1, 2, 2, 1, 0, 0));
	}

	record Product(String name, int id) {
	}

}
