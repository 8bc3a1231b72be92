package io.statestore.client.lock;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Threads of the callbacks of locks. */
@Timeout(60)
class LockThreadsTests {

	private final AtomicInteger started = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private final LockThreads threads = new LockThreads((task) -> {
		if (this.failures.getAndDecrement() > 0) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		this.started.incrementAndGet();
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		return thread;
	});

	@Test
	void blockedCallbacksUseFewThreads() {
		CountDownLatch blocked = new CountDownLatch(1);
		AtomicInteger done = new AtomicInteger();
		for (int i = 0; i < 3000; i++) {
			this.threads.execute(() -> {
				try {
					blocked.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				done.incrementAndGet();
			});
		}
		assertThat(this.started).hasValue(LockThreads.THREADS);
		blocked.countDown();
		await("all callbacks").until(() -> done.get() == 3000);
	}

	@Test
	void waitingCallbackGetsThreadWhileOthersBlock() {
		CountDownLatch blocked = new CountDownLatch(1);
		for (int i = 0; i < LockThreads.THREADS; i++) {
			this.threads.execute(() -> {
				try {
					blocked.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			});
		}
		AtomicInteger done = new AtomicInteger();
		this.threads.execute(done::incrementAndGet);
		await("the callback").until(() -> done.get() == 1);
		blocked.countDown();
	}

	@Test
	void retriesCallbackWithoutThread() {
		this.failures.set(2);
		AtomicInteger done = new AtomicInteger();
		this.threads.execute(done::incrementAndGet);
		await("the callback").until(() -> done.get() == 1);
	}

}
