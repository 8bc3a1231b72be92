package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Locks and waits of a registry that stops. */
@Timeout(60)
class RegistryStopTests {

	private final LockFixture locks = new LockFixture();

	private final TestClient client = this.locks.client();

	private final StateStoreLockRegistry other = this.locks.registry();

	private final CountDownLatch section = new CountDownLatch(1);

	@AfterEach
	void close() throws Exception {
		this.section.countDown();
		this.locks.close();
	}

	private StateStoreLockRegistry registry(Duration stopTimeout) {
		return this.locks.registry(this.client, LockOptions.DEFAULT.withStopTimeout(stopTimeout));
	}

	/** Holds a lock on another thread until the section ends. */
	private CompletableFuture<Void> hold(FencedLock lock) {
		CountDownLatch held = new CountDownLatch(1);
		CompletableFuture<Void> ended = LockFixture.async(() -> {
			lock.lock();
			held.countDown();
			try {
				this.section.await();
			}
			finally {
				lock.unlock();
			}
			return null;
		});
		try {
			assertThat(held.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return ended;
	}

	private static void awaitBlocked(Thread thread) {
		await("a blocked thread")
			.until(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
	}

	@Test
	void endsWaitsOfLocalThreads() {
		StateStoreLockRegistry registry = registry(Duration.ZERO);
		FencedLock lock = registry.obtain("lock");
		CompletableFuture<Void> holder = hold(lock);
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<Void> waiter = LockFixture.async(() -> {
			thread.complete(Thread.currentThread());
			lock.lock();
			return null;
		});
		CompletableFuture<Thread> timedThread = new CompletableFuture<>();
		CompletableFuture<Boolean> timed = LockFixture.async(() -> {
			timedThread.complete(Thread.currentThread());
			return lock.tryLock(50, TimeUnit.SECONDS);
		});
		awaitBlocked(thread.join());
		awaitBlocked(timedThread.join());
		registry.stop();
		for (CompletableFuture<?> each : List.of(waiter, timed)) {
			assertThat(each).failsWithin(Duration.ofSeconds(30))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(IllegalStateException.class)
				.withMessageContaining("stopped");
		}
		assertThat(holder).isNotDone();
	}

	@Test
	void letsSectionsReleaseTheirLocks() throws Exception {
		StateStoreLockRegistry registry = registry(Duration.ofSeconds(30));
		List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
		FencedLock lock = registry.obtain("lock");
		lock.addLossListener(losses::add);
		CompletableFuture<Void> holder = hold(lock);
		CompletableFuture<Void> stopped = LockFixture.async(() -> {
			registry.stop();
			return null;
		});
		await("the stop").until(() -> !registry.isAccepting());
		assertThatIllegalStateException().isThrownBy(() -> registry.obtain("another").lock())
			.withMessageContaining("stopped");
		assertThat(this.other.obtain("lock").tryLock()).isFalse();
		assertThat(lock.isValid()).isTrue();
		assertThat(stopped).isNotDone();
		this.section.countDown();
		stopped.get(20, TimeUnit.SECONDS);
		holder.get(20, TimeUnit.SECONDS);
		assertThat(losses).isEmpty();
		assertThat(this.other.obtain("lock").tryLock()).isTrue();
		this.other.obtain("lock").unlock();
	}

	@Test
	void leavesHeldLockToItsLease() throws Exception {
		StateStoreLockRegistry registry = registry(Duration.ofMillis(50));
		List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
		FencedLock lock = registry.obtain("lock");
		lock.addLossListener(losses::add);
		CompletableFuture<Void> holder = hold(lock);
		registry.stop();
		await("the loss").until(() -> !losses.isEmpty());
		assertThat(losses).singleElement().extracting(LockLostEvent::reason).isEqualTo(Reason.STOPPED);
		assertThat(lock.isValid()).isFalse();
		// The section still runs.
		assertThat(this.other.obtain("lock").tryLock()).isFalse();
		this.section.countDown();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> holder.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockLostException.class);
		assertThat(this.other.obtain("lock").tryLock(20, TimeUnit.SECONDS)).isTrue();
		this.other.obtain("lock").unlock();
	}

	@Test
	void worksAgainAfterStart() {
		StateStoreLockRegistry registry = registry(Duration.ZERO);
		registry.stop();
		registry.start();
		FencedLock lock = registry.obtain("lock");
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

}
