package io.statestore.broker.standalone;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StandaloneExitTests {

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	private final CountDownLatch halted = new CountDownLatch(1);

	@Test
	void haltsWhenProcessDoesNotEndAfterError() throws Exception {
		this.stopped.completeExceptionally(new OutOfMemoryError("on purpose"));
		assertThat(StandaloneExit.await(this.stopped, 0, Duration.ofMillis(20), this.halted::countDown)).isEqualTo(3);
		assertThat(this.halted.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void doesNotHaltAfterNormalStop() throws Exception {
		this.stopped.complete(null);
		assertThat(StandaloneExit.await(this.stopped, 4, Duration.ZERO, this.halted::countDown)).isEqualTo(4);
		assertThat(this.halted.await(100, TimeUnit.MILLISECONDS)).isFalse();
	}

}
