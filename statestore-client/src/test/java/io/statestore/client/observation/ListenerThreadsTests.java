package io.statestore.client.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ListenerThreadsTests {

	private final ThreadPoolExecutor pool = ListenerThreads.pool();

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

	@Test
	void listenersWithMuchToDoDoNotStarveOthers() throws Exception {
		AtomicBoolean enough = new AtomicBoolean();
		CountDownLatch begun = new CountDownLatch(ListenerThreads.MAX_THREADS);
		for (int i = 0; i < ListenerThreads.MAX_THREADS; i++) {
			this.pool.execute(new Runnable() {

				@Override
				public void run() {
					begun.countDown();
					if (!enough.get()) {
						ListenerThreadsTests.this.pool.execute(this);
					}
				}

			});
		}
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		CountDownLatch other = new CountDownLatch(1);
		this.pool.execute(other::countDown);
		assertThat(other.await(30, TimeUnit.SECONDS)).isTrue();
		enough.set(true);
	}

	@Test
	void aTaskWithoutThreadIsRefusedAndNotForgotten() {
		AtomicBoolean fail = new AtomicBoolean();
		ThreadFactory threads = this.pool.getThreadFactory();
		this.pool.setThreadFactory((task) -> {
			if (fail.get()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return threads.newThread(task);
		});
		fail.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.pool.execute(() -> {
		}));
		assertThat(this.pool.getQueue()).isEmpty();
	}

	@Test
	void nothingIsTakenAfterTheEnd() {
		this.pool.shutdown();
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> this.pool.execute(() -> {
		}));
	}

}
