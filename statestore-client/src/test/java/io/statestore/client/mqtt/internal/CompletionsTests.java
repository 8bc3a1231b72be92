package io.statestore.client.mqtt.internal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.client.ClientResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class CompletionsTests {

	private final ClientResources resources = new ClientResources();

	private final Completions completions = new Completions(this.resources);

	@AfterEach
	void close() {
		this.resources.close();
	}

	@Test
	void blockedContinuationDelaysNoOther() throws Exception {
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
	void failedContinuationStopsNoOther() throws Exception {
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

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
