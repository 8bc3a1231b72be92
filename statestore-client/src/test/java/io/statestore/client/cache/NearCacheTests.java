package io.statestore.client.cache;

import java.time.Duration;
import java.util.stream.Stream;

import io.statestore.client.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Near caches of two processes with a broker. */
@Timeout(60)
class NearCacheTests extends CacheFixture {

	private final StateStoreCache near = cache(client, JSON.withNearCacheSize(3));

	private final StateStoreCache elsewhere = cache(other, JSON);

	/** Reads a key until the near cache answers. */
	private static void warm(StateStoreCache cache, Object key) {
		await().until(() -> {
			long before = cache.statistics().nearHits();
			cache.get(key);
			return cache.statistics().nearHits() > before;
		});
	}

	private Key key(String key) {
		return Key.of(this.name + "::" + key);
	}

	@Test
	void answersWithoutRequest() {
		this.near.put("key", "value");
		warm(this.near, "key");
		int before = client.commands.size();
		long reads = reads(this.near);
		assertThat(this.near.get("key", String.class)).isEqualTo("value");
		assertThat(this.near.retrieve("key")).isCompleted();
		assertThat(reads(this.near)).isEqualTo(reads);
		assertThat(client.commands.size()).isEqualTo(before);
	}

	@Test
	void keepsNull() {
		this.near.put("key", null);
		warm(this.near, "key");
		assertThat(this.near.get("key")).isNotNull();
	}

	@Test
	void changeByOtherProcessArrives() {
		this.near.put("key", "first");
		warm(this.near, "key");
		this.elsewhere.put("key", "second");
		await().until(() -> "second".equals(this.near.get("key", String.class)));
		this.elsewhere.evict("key");
		await().until(() -> this.near.get("key") == null);
	}

	@Test
	void ownWritesAreVisibleImmediately() {
		this.near.put("key", 0);
		warm(this.near, "key");
		for (int i = 1; i < 300; i++) {
			this.near.put("key", i);
			assertThat(this.near.get("key", Integer.class)).isEqualTo(i);
			if (i % 10 == 0) {
				assertThat(this.near.evictIfPresent("key")).isTrue();
				assertThat(this.near.get("key")).isNull();
				assertThat(this.near.putIfAbsent("key", -i)).isNull();
				assertThat(this.near.get("key", Integer.class)).isEqualTo(-i);
			}
		}
		this.near.clear();
		assertThat(this.near.get("key")).isNull();
	}

	@Test
	void evictingKeyDeletedElsewhereRemovesItImmediately() {
		for (int i = 0; i < 50; i++) {
			this.elsewhere.put("key", i);
			this.near.get("key");
			this.elsewhere.evict("key");
			assertThat(this.near.evictIfPresent("key")).isFalse();
			assertThat(this.near.get("key")).isNull();
		}
	}

	@Test
	void clearingElsewhereClearsLocally() {
		this.near.put("key", "value");
		warm(this.near, "key");
		this.elsewhere.clear();
		await().until(() -> this.near.get("key") == null);
	}

	@Test
	void fullCacheEvictsUnusedKeyAndItsWatch() {
		for (String key : new String[] { "a", "b", "c" }) {
			this.near.put(key, key);
			warm(this.near, key);
		}
		this.near.put("d", "d");
		warm(this.near, "d");
		assertThat(this.near.statistics().nearSize()).isEqualTo(3);
		assertThat(this.near.statistics().nearEvictions()).isPositive();
		await()
			.until(() -> Stream.of("a", "b", "c", "d").filter((key) -> client.watches.isActive(key(key))).count() == 3);
		assertThat(this.near.get("a", String.class)).isEqualTo("a");
	}

	@Test
	void expiredValueIsNotRead() {
		StateStoreCache brief = cache(client, JSON.withNearCacheSize(3).withExpiry(Duration.ofSeconds(1)));
		brief.put("key", "value");
		await().until(() -> brief.get("key") == null);
	}

	@Test
	void keyThatCannotBeWatchedIsReadFromStore() {
		String longKey = "k".repeat(40_000);
		this.near.put(longKey, "value");
		this.near.get(longKey);
		this.elsewhere.put(longKey, "next");
		assertThat(this.near.get(longKey, String.class)).isEqualTo("next");
	}

	@Test
	void unreadKeyIsNotWatched() {
		this.near.put("key", "value");
		assertThat(client.watches.isActive(key("key"))).isFalse();
		assertThat(this.near.statistics().nearSize()).isZero();
	}

}
