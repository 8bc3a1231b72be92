package io.statestore.client.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ListenerThreadsTests {

	private final ForkJoinPool pool = ListenerThreads.pool();

	@AfterEach
	void close() {
		this.pool.shutdownNow();
	}

	@Test
	void oneListenerAfterTheOtherTakesFewThreads() throws Exception {
		Set<String> threads = ConcurrentHashMap.newKeySet();
		for (int i = 0; i < 10 * ListenerThreads.MAX_THREADS; i++) {
			CountDownLatch done = new CountDownLatch(1);
			this.pool.execute(() -> {
				threads.add(Thread.currentThread().getName());
				done.countDown();
			});
			assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
		}
		assertThat(threads).hasSizeLessThan(ListenerThreads.MAX_THREADS / 4)
			.allMatch((name) -> name.startsWith("statestore-key-listener-"));
	}

	@Test
	void asManyListenersAsAllowedAreBusyAtOnce() throws Exception {
		CyclicBarrier all = new CyclicBarrier(ListenerThreads.MAX_THREADS);
		CountDownLatch done = new CountDownLatch(ListenerThreads.MAX_THREADS);
		for (int i = 0; i < ListenerThreads.MAX_THREADS; i++) {
			this.pool.execute(() -> {
				try {
					all.await(30, TimeUnit.SECONDS);
					done.countDown();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			});
		}
		assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
	}

}
