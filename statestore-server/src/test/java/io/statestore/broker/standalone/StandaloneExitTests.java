package io.statestore.broker.standalone;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StandaloneExitTests {

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	private final CountDownLatch halted = new CountDownLatch(1);

	private final AtomicLong clock = new AtomicLong();

	private final CountDownLatch clockReads = new CountDownLatch(3);

	@Test
	void haltsWhenProcessDoesNotEndAfterError() throws Exception {
		this.stopped.completeExceptionally(new OutOfMemoryError("on purpose"));
		assertThat(await(0)).isEqualTo(3);
		assertThat(this.clockReads.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.halted.getCount()).isOne();
		this.clock.addAndGet(StandaloneExit.TIMEOUT.toNanos());
		assertThat(this.halted.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void doesNotHaltAfterNormalStop() throws Exception {
		this.stopped.complete(null);
		assertThat(await(4)).isEqualTo(4);
		this.clock.addAndGet(StandaloneExit.TIMEOUT.toNanos());
		assertThat(this.halted.await(100, TimeUnit.MILLISECONDS)).isFalse();
	}

	private int await(int exitCode) {
		return StandaloneExit.await(this.stopped, exitCode, this::nanoTime, this.halted::countDown);
	}

	private long nanoTime() {
		this.clockReads.countDown();
		return this.clock.get();
	}

}
