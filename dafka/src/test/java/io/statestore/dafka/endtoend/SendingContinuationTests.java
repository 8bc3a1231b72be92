package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Continuations that send records while the queue is long. Only these continuations can
 * shorten it.
 */
@Timeout(60)
class SendingContinuationTests {

	private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

	private final CountDownLatch started = new CountDownLatch(1);

	private final CountDownLatch released = new CountDownLatch(1);

	private final CompletableFuture<Integer> pauses = new CompletableFuture<>();

	@Test
	void sendInContinuationDoesNotWait() throws Exception {
		try (Cluster cluster = new Cluster();
				Producer producer = cluster.producer().acknowledge(Acknowledge.NONE).start()) {
			Thread test = Thread.currentThread();
			while (this.started.getCount() > 0) {
				producer.send("t", Bytes.EMPTY).thenRun(() -> {
					if (Thread.currentThread() != test && this.started.getCount() > 0) {
						this.started.countDown();
						await();
						this.pauses.complete(pauses(producer));
					}
				});
			}
			long before;
			long sent;
			do {
				sent = producer.metrics().sent();
				before = System.nanoTime();
				producer.send("t", Bytes.EMPTY);
			}
			while (System.nanoTime() - before < PAUSE_NANOS || sent <= 100_000 || sent != producer.metrics().sent());
			this.released.countDown();
			assertThat(this.pauses.get(30, TimeUnit.SECONDS)).isLessThan(100);
		}
	}

	private void await() {
		try {
			this.released.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Returns how many of 200 records wait before they are sent. */
	private static int pauses(Producer producer) {
		int pauses = 0;
		for (int i = 0; i < 200; i++) {
			long start = System.nanoTime();
			producer.send("t", Bytes.EMPTY);
			pauses += (System.nanoTime() - start < PAUSE_NANOS) ? 0 : 1;
		}
		return pauses;
	}

}
