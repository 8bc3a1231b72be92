package io.statestore.testing.boot.annotated;

import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.StateStoreOperations;
import io.statestore.testing.boot.StateStoreTest;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Slices of applications that enable caching, scheduling, and ShedLock. */
class AnnotatedApplicationTests {

	@StateStoreTest(properties = "spring.cache.type=redis")
	@Import(Prices.class)
	@Nested
	class SliceTests {

		@Autowired
		private Prices prices;

		@Autowired
		private CacheManager cacheManager;

		@Autowired
		private StateStoreOperations store;

		@Test
		void cachesNothing() {
			assertThat(this.cacheManager).isInstanceOf(NoOpCacheManager.class);
			assertThat(this.prices.price()).isNotEqualTo(this.prices.price());
		}

		@Test
		void runsScheduledTasksUnderTheirLocks() {
			await("a run").until(() -> this.prices.runs() > 0);
			await("its lock").until(() -> this.store.get("prices", String.class).isPresent());
		}

	}

	@StateStoreTest(properties = { "statestore.cache.enabled=true",
			"statestore.cache.caches.prices.value-type=java.lang.Integer" })
	@Import(Prices.class)
	@Nested
	class StateStoreCacheTests {

		@Autowired
		private Prices prices;

		@Test
		void cachesInStateStore() {
			assertThat(this.prices.price()).isEqualTo(this.prices.price());
		}

	}

	static class Prices {

		private final AtomicInteger runs = new AtomicInteger();

		private final AtomicInteger price = new AtomicInteger();

		public int runs() {
			return this.runs.get();
		}

		@Cacheable("prices")
		public int price() {
			return this.price.incrementAndGet();
		}

		@Scheduled(fixedDelay = 50)
		@SchedulerLock(name = "prices", lockAtLeastFor = "1m")
		public void refresh() {
			this.runs.incrementAndGet();
		}

	}

}
