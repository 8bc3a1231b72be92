package io.statestore.broker.artemis.disk;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

/** Writes to the disk in intervals, and the stop of the broker meanwhile. */
@Timeout(30)
class PeriodicForceTests {

	private final AtomicInteger runs = new AtomicInteger();

	private final CountDownLatch end = new CountDownLatch(1);

	private final AtomicBoolean interrupted = new AtomicBoolean();

	@Test
	void writesAtStartAndAtStopWithoutInterval() {
		PeriodicForce force = new PeriodicForce(this.runs::incrementAndGet, null, (error) -> fail(error));
		force.start();
		assertThat(this.runs).hasValue(1);
		force.stop();
		assertThat(this.runs).hasValue(2);
	}

	@Test
	void stopWaitsForWriteAndRepeatsIt() {
		PeriodicForce force = new PeriodicForce(this::blockSecondRun, Duration.ofMillis(1), (error) -> fail(error));
		force.start();
		await().until(() -> this.runs.get() == 2);
		Thread stopping = new Thread(force::stop);
		stopping.start();
		await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
		assertThat(this.runs).hasValue(2);
		this.end.countDown();
		assertThat(CompletableFuture.runAsync(() -> join(stopping))).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.runs).hasValue(3);
		assertThat(this.interrupted).isFalse();
	}

	private void blockSecondRun() {
		if (this.runs.incrementAndGet() == 2) {
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				this.interrupted.set(true);
			}
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void continuesAfterFailure() {
		PeriodicForce force = new PeriodicForce(() -> {
			if (this.runs.incrementAndGet() == 2) {
				throw new IllegalStateException("on purpose");
			}
		}, Duration.ofMillis(1), (error) -> fail(error));
		force.start();
		await().until(() -> this.runs.get() > 3);
		force.stop();
	}

}
