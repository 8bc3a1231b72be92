package io.statestore.client.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Waits for locks on a store on a real socket. */
@Timeout(120)
class FencedLockWaitTests extends FencedLockFixture {

	@Test
	void servesWaiterOnRelease() throws Exception {
		this.lock.lock(LONG);
		long start = System.nanoTime();
		CompletableFuture<Long> waiting = LockFixture.async(() -> {
			this.elsewhere.lock();
			long servedAt = System.nanoTime();
			this.elsewhere.unlock();
			return servedAt;
		});
		await("a watch").until(this::isWatched);
		assertThat(waiting).isNotDone();
		this.lock.unlock();
		// Much less than the lease, after which a waiter requests the lock anyway.
		assertThat(Duration.ofNanos(waiting.get() - start)).isLessThan(Duration.ofSeconds(20));
	}

	@Test
	void waitsUpToTimeout() throws Exception {
		this.lock.lock(LONG);
		long start = System.nanoTime();
		assertThat(this.elsewhere.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		this.lock.unlock();
	}

	@Test
	void interruptEndsOnlyInterruptibleWait() throws Exception {
		this.lock.lock(LONG);
		AtomicReference<Thread> waiter = new AtomicReference<>();
		CompletableFuture<Boolean> interruptible = LockFixture.async(() -> {
			waiter.set(Thread.currentThread());
			this.elsewhere.lockInterruptibly();
			return true;
		});
		await("a watch").until(this::isWatched);
		Objects.requireNonNull(waiter.get()).interrupt();
		assertThat(interruptible).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(InterruptedException.class);
		await("the end of the watch").until(() -> !isWatched());
		CompletableFuture<Boolean> uninterruptible = LockFixture.async(() -> {
			waiter.set(Thread.currentThread());
			Thread.currentThread().interrupt();
			this.elsewhere.lock();
			boolean interrupted = Thread.currentThread().isInterrupted();
			this.elsewhere.unlock();
			return interrupted;
		});
		await("a watch").until(this::isWatched);
		Objects.requireNonNull(waiter.get()).interrupt();
		assertThat(uninterruptible).isNotDone();
		this.lock.unlock();
		assertThat(uninterruptible).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

	@Test
	void stopEndsWaitForAnotherProcess() {
		this.lock.lock(LONG);
		StateStoreLockRegistry waitingRegistry = registry(this.other, LockOptions.DEFAULT);
		CompletableFuture<Boolean> waiting = LockFixture.async(() -> {
			waitingRegistry.obtain("lock").lock();
			return true;
		});
		await("a watch").until(this::isWatched);
		waitingRegistry.stop();
		assertThat(waiting).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("stopped");
		assertThatIllegalStateException().isThrownBy(() -> waitingRegistry.obtain("lock").tryLock())
			.withMessageContaining("Start it");
		this.lock.unlock();
	}

}
