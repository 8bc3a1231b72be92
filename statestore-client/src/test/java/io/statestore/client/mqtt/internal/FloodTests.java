package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks of an application that sends more calls than the connection carries. */
@Timeout(120)
@Tag("long")
@Tag("nightly")
class FloodTests {

	private static final int LOCKS = 50;

	private static final int CALLS = 100_000;

	/** Keeps large values from filling the heap, whose collection would stop renewals. */
	private static final int MAX_PENDING = 2_000;

	/** Long enough for a machine that runs other tests, too. */
	private static final Duration LEASE = Duration.ofSeconds(10);

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder()
		.host("127.0.0.1")
		.port(this.broker.port())
		.startTimeout(Duration.ofSeconds(20))
		.requestTimeout(Duration.ofMinutes(1))
		.maxPending(MAX_PENDING)
		.build());

	private final KeyWatches watches = new KeyWatches(this.connection);

	private final StateStoreTemplate template = new StateStoreTemplate(this.connection, null, this.watches);

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(this.template,
			LockOptions.DEFAULT.withLease(LEASE));

	private final Queue<LockLostEvent> losses = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() {
		this.registry.stop();
		this.watches.close();
		this.connection.close();
		this.broker.close();
	}

	@Test
	void keepsLocksDuringFloodOfSmallValues() throws Exception {
		assertLocksSurvive(CALLS, 100);
	}

	@Test
	void keepsLocksDuringFloodOfLargeValues() throws Exception {
		assertLocksSurvive(3_000, 50_000);
	}

	private void assertLocksSurvive(int calls, int valueSize) throws Exception {
		this.connection.start();
		List<FencedLock> locks = new ArrayList<>();
		for (int i = 0; i < LOCKS; i++) {
			FencedLock lock = this.registry.obtain("lock-" + i);
			lock.lock();
			lock.addLossListener(this.losses::add);
			locks.add(lock);
		}
		long start = System.nanoTime();
		flood(calls, valueSize);
		// At least as long as a lease, so that every lock had to be renewed.
		flood(calls / 10, valueSize);
		while (System.nanoTime() - start < LEASE.toNanos()) {
			flood(calls / 10, valueSize);
		}
		assertThat(this.losses).isEmpty();
		assertThat(locks).allMatch(FencedLock::isValid);
		locks.forEach(FencedLock::unlock);
	}

	/** Keeps as many calls pending as are allowed until all of them have succeeded. */
	private void flood(int calls, int valueSize) throws InterruptedException {
		byte[] value = new byte[valueSize];
		int room = this.connection.options().maxPending() + 100;
		Semaphore outstanding = new Semaphore(room);
		AtomicInteger remaining = new AtomicInteger(calls);
		while (remaining.get() > 0) {
			if (!outstanding.tryAcquire(10, TimeUnit.MILLISECONDS)) {
				continue;
			}
			int key = remaining.get() % 1_000;
			CompletableFuture<?> call = this.template.async().set("key-" + key, value);
			call.whenComplete((result, failure) -> {
				if (failure == null) {
					remaining.decrementAndGet();
				}
				else if (!(failure instanceof StateStoreNotSentException
						|| failure.getCause() instanceof StateStoreNotSentException)) {
					remaining.set(Integer.MIN_VALUE);
				}
				outstanding.release();
			});
		}
		outstanding.acquire(room);
		assertThat(remaining.get()).isGreaterThan(-room);
	}

}
