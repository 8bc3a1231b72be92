package io.statestore.broker.server;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ClosingTaskTests {

	private static final Duration LONG = Duration.ofSeconds(10);

	private final CountDownLatch released = new CountDownLatch(1);

	private final AtomicInteger runs = new AtomicInteger();

	private final ClosingTask task = new ClosingTask("closing", () -> {
		try {
			this.released.await();
			this.runs.incrementAndGet();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	});

	@Test
	void continuesBeyondLimit() {
		assertThat(this.task.run(Duration.ofMillis(10))).isFalse();
		this.released.countDown();
		await().untilAtomic(this.runs, (runs) -> assertThat(runs).isEqualTo(1));
		assertThat(this.task.run(LONG)).isTrue();
		assertThat(this.runs).as("runs").hasValue(1);
	}

	@Test
	void interruptDoesNotShortenWait() throws InterruptedException {
		AtomicBoolean ended = new AtomicBoolean();
		AtomicBoolean interrupted = new AtomicBoolean();
		Thread caller = new Thread(() -> {
			ended.set(this.task.run(LONG));
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		caller.start();
		caller.interrupt();
		await().until(() -> !caller.isInterrupted() && caller.getState() == Thread.State.TIMED_WAITING);
		this.released.countDown();
		caller.join();
		assertThat(ended).isTrue();
		assertThat(interrupted).isTrue();
	}

}
