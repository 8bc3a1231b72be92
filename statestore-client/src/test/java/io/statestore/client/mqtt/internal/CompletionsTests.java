package io.statestore.client.mqtt.internal;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.statestore.client.ClientResources;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class CompletionsTests {

	private final ClientResources resources = new ClientResources();

	private final Completions completions = create(this.resources, this.resources.networkTimer());

	private static Completions create(ClientResources resources, ScheduledExecutorService timer) {
		return new Completions(resources.replies(), resources.time(), timer);
	}

	@AfterEach
	void close() {
		this.resources.close();
	}

	@Test
	void blockedContinuationDoesNotDelayOthers() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(200);
		this.completions.readStarted();
		for (int i = 0; i < 200; i++) {
			boolean blocks = i % 20 == 0;
			this.completions.execute(() -> {
				done.countDown();
				if (blocks) {
					awaitUninterruptibly(release);
				}
			});
		}
		this.completions.readCompleted();
		assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
		CountDownLatch later = new CountDownLatch(1);
		this.completions.execute(later::countDown);
		assertThat(later.await(10, TimeUnit.SECONDS)).isTrue();
		release.countDown();
	}

	@Test
	void failedContinuationDoesNotStopOthers() throws Exception {
		CountDownLatch done = new CountDownLatch(1);
		this.completions.readStarted();
		this.completions.execute(() -> {
			throw new AssertionError("expected by this test");
		});
		this.completions.execute(() -> Thread.currentThread().interrupt());
		this.completions.execute(() -> {
			if (!Thread.currentThread().isInterrupted()) {
				done.countDown();
			}
		});
		this.completions.readCompleted();
		assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void completesEvenIfReadDoesNotEnd() throws Exception {
		CountDownLatch done = new CountDownLatch(1);
		this.completions.readStarted();
		this.completions.execute(done::countDown);
		assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
	}

	// Each of them ends before the next check, but one thread is too slow for them.
	@Test
	void slowContinuationsShareSeveralThreads() throws Exception {
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		CountDownLatch done = new CountDownLatch(1_000);
		this.completions.readStarted();
		for (int i = 0; i < 1_000; i++) {
			this.completions.execute(() -> {
				threads.add(Thread.currentThread());
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
				done.countDown();
			});
		}
		this.completions.readCompleted();
		assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(threads).hasSizeGreaterThan(1);
	}

	@Test
	void continuationCanWaitForLaterCompletion() throws Exception {
		ScheduledExecutorService noTimer = new ScheduledThreadPoolExecutor(1, (worker) -> new Thread());
		Completions completions = create(this.resources, noTimer);
		CountDownLatch later = new CountDownLatch(1);
		CompletableFuture<Thread> waiting = new CompletableFuture<>();
		completions.execute(() -> {
			waiting.complete(Thread.currentThread());
			awaitUninterruptibly(later);
		});
		Thread thread = waiting.get(10, TimeUnit.SECONDS);
		await().until(() -> thread.getState() == Thread.State.WAITING);
		completions.execute(later::countDown);
		assertThat(later.await(10, TimeUnit.SECONDS)).isTrue();
	}

	// Otherwise the memory fills up until one of the threads continues.
	@Test
	void separatesCompletionsOnceWhileAllThreadsBlock() throws Exception {
		ForkJoinPool pool = (ForkJoinPool) this.resources.replies();
		CountDownLatch release = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1_000);
		CountDownLatch blocked = new CountDownLatch(ClientResources.REPLY_THREADS);
		for (int i = 0; i < ClientResources.REPLY_THREADS; i++) {
			this.completions.execute(() -> {
				blocked.countDown();
				awaitUninterruptibly(release);
			});
		}
		assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
		for (int i = 0; i < 1_000; i++) {
			this.completions.execute(done::countDown);
		}
		try {
			await().during(200, TimeUnit.MILLISECONDS)
				.until(() -> pool.getQueuedSubmissionCount() + pool.getQueuedTaskCount() < 2_000);
		}
		finally {
			release.countDown();
		}
		assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void completesAfterExecutorFails() throws Exception {
		AtomicInteger failures = new AtomicInteger(3);
		TimeSource time = new TimeSource() {

			@Override
			public long nanoTime() {
				return System.nanoTime();
			}

			@Override
			public Executor tracked(Executor executor) {
				return (task) -> {
					if (failures.getAndDecrement() > 0) {
						throw new OutOfMemoryError("expected by this test");
					}
					executor.execute(task);
				};
			}

		};
		try (ClientResources failing = new ClientResources(time)) {
			Completions completions = create(failing, failing.networkTimer());
			CountDownLatch done = new CountDownLatch(2);
			completions.execute(done::countDown);
			completions.readStarted();
			completions.execute(done::countDown);
			completions.readCompleted();
			assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
