package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreException;
import io.statestore.client.watch.TestClient;
import io.statestore.protocol.Version;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Threads of two processes that contend for a lock while they are interrupted, the
 * connection of one process breaks, and its registry stops and starts.
 */
@Tag("long")
@Timeout(120)
class LockStressTests {

	private static final int THREADS = 6;

	private static final Duration DURATION = Duration.ofSeconds(15);

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final FaultProxy network = new FaultProxy(this.broker.port());

	private final TestClient near = new TestClient(this.broker.port());

	private final TestClient far = new TestClient(this.network.port());

	/** Token of the latest holder. */
	private final AtomicReference<FencingToken> latest = new AtomicReference<>(
			new FencingToken(Version.parse("0:0:none")));

	private final AtomicInteger sections = new AtomicInteger();

	private final long end = System.nanoTime() + DURATION.toNanos();

	@AfterEach
	void close() {
		this.near.close();
		this.far.close();
		this.network.close();
		this.broker.close();
	}

	@Test
	void leavesNothingBehind() {
		TestClient.start(this.near, this.far);
		LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofSeconds(1))
			.withStopTimeout(Duration.ofMillis(20));
		StateStoreLockRegistry stable = new StateStoreLockRegistry(this.near.template, options);
		StateStoreLockRegistry shaken = new StateStoreLockRegistry(this.far.template, options);
		List<Thread> threads = new ArrayList<>();
		List<CompletableFuture<Void>> workers = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			FencedLock lock = ((i % 2 == 0) ? stable : shaken).obtain("lock");
			Random random = new Random(i);
			CompletableFuture<Void> done = new CompletableFuture<>();
			Thread thread = new Thread(() -> {
				try {
					contend(lock, random);
					done.complete(null);
				}
				catch (Throwable ex) {
					done.completeExceptionally(ex);
				}
			});
			threads.add(thread);
			workers.add(done);
			thread.start();
		}
		shake(shaken, threads);
		for (CompletableFuture<Void> worker : workers) {
			assertThat(worker).succeedsWithin(Duration.ofSeconds(30));
		}
		assertThat(this.sections).hasPositiveValue();
		loseByStop(stable);
		await("the release of all keys").until(() -> this.near.template.scan("*").stream().findAny().isEmpty());
		assertThat(stable.heldLocks()).isEmpty();
		assertThat(shaken.heldLocks()).isEmpty();
		stable.stop();
		shaken.stop();
	}

	/** Always causes a loss. On a busy machine, the shaking may not cause one. */
	private void loseByStop(StateStoreLockRegistry registry) {
		FencedLock lock = registry.obtain("lock");
		lock.lock();
		registry.stop();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		registry.start();
	}

	private void contend(FencedLock lock, Random random) throws Exception {
		while (this.end - System.nanoTime() > 0) {
			try {
				if (random.nextBoolean()) {
					lock.lockInterruptibly();
				}
				else if (!lock.tryLock(random.nextInt(300), TimeUnit.MILLISECONDS)) {
					continue;
				}
			}
			catch (InterruptedException | IllegalStateException | StateStoreException ex) {
				Thread.interrupted();
				continue;
			}
			section(lock, random);
		}
	}

	private void section(FencedLock lock, Random random) {
		try {
			HeldLock held = lock.heldLock();
			this.latest.accumulateAndGet(held.token(), (one, other) -> (one.compareTo(other) > 0) ? one : other);
			// Some sections outlast an outage or a stop of the registry.
			LockSupport.parkNanos((random.nextInt(20) == 0) ? random.nextInt(1_500_000_000) : 0);
			FencingToken latest = this.latest.get();
			assertThat(held.isValid() && !held.token().equals(latest)).as("later holder of a valid lock").isFalse();
			this.sections.incrementAndGet();
		}
		finally {
			Thread.interrupted();
			boolean valid = lock.isValid();
			boolean lost = false;
			try {
				lock.unlock();
			}
			catch (LockLostException ex) {
				lost = true;
			}
			assertThat(valid || lost).as("the loss is reported to the holder").isTrue();
		}
	}

	private void shake(StateStoreLockRegistry registry, List<Thread> threads) {
		Random random = new Random(42);
		while (this.end - System.nanoTime() > 0) {
			switch (random.nextInt(4)) {
				case 0 -> {
					registry.stop();
					registry.start();
				}
				case 1 -> {
					this.network.block();
					pause(random.nextInt(1_500));
					this.network.unblock();
				}
				default -> threads.get(random.nextInt(threads.size())).interrupt();
			}
			pause(random.nextInt(100));
		}
	}

	private static void pause(int millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
