package io.statestore.client.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(20)
@Isolated("captures the log")
class DeliveryQueueTests {

	private final VirtualTime time = new VirtualTime();

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final List<Integer> delivered = new CopyOnWriteArrayList<>();

	private final CapturedLog log = new CapturedLog(DeliveryQueue.class.getPackageName(), Level.WARN);

	@AfterEach
	void closeLog() {
		this.log.close();
	}

	private static KeyChange<Bytes> change(int number) {
		return new KeyChange<>(Key.of("key"), Operation.SET, Bytes.EMPTY, new Version(1, number, "StateStore"), false);
	}

	private static KeyChange<Bytes> change(int number, int length) {
		return new KeyChange<>(Key.of("key"), Operation.SET, Bytes.wrap(new byte[length]),
				new Version(1, number, "StateStore"), false);
	}

	@Test
	void dropsWaitingChangesWhenTheirSizeExceedsLimit() {
		List<KeyChange<Bytes>> changes = new CopyOnWriteArrayList<>();
		DeliveryQueue queue = new DeliveryQueue("test", retrying(this.tasks::add), new QueueLimit(100, 1000),
				new DeliveryCounters(), changes::add);
		for (int i = 0; i < 5; i++) {
			queue.offer(change(i, 300));
		}
		runAll();
		assertThat(changes).extracting((change) -> change.version().counter()).containsExactly(3, 4);
		assertThat(changes).extracting(KeyChange::resynchronized).containsExactly(true, false);
		assertThat(this.log.messages()).hasSize(1)
			.first()
			.asString()
			.contains("'test'", "dropped 3 waiting changes (900 bytes)");
	}

	@Test
	void deliversSingleChangeLargerThanLimit() {
		List<KeyChange<Bytes>> changes = new CopyOnWriteArrayList<>();
		DeliveryQueue queue = new DeliveryQueue("test", retrying(this.tasks::add), new QueueLimit(100, 1000),
				new DeliveryCounters(), changes::add);
		queue.offer(change(0, 1001));
		runAll();
		// Delivered changes no longer count.
		queue.offer(change(1, 1000));
		runAll();
		assertThat(changes).hasSize(2).noneMatch(KeyChange::resynchronized);
		assertThat(this.log.messages()).isEmpty();
	}

	private RetryingExecutor retrying(Executor executor) {
		return new RetryingExecutor(executor, this.time::schedule);
	}

	private DeliveryQueue queue(int capacity) {
		return new DeliveryQueue("test", retrying(this.tasks::add), new QueueLimit(capacity, Long.MAX_VALUE),
				new DeliveryCounters(), (change) -> this.delivered.add(change.version().counter()));
	}

	private void runAll() {
		for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
			task.run();
		}
	}

	@Test
	void keepsOrderWithOneTaskAtATime() {
		DeliveryQueue queue = queue(1000);
		for (int i = 0; i < 100; i++) {
			queue.offer(change(i));
		}
		assertThat(this.tasks).hasSize(1);
		this.tasks.remove().run();
		// The task ends after 32 changes, so that other queues get its thread.
		assertThat(this.delivered).hasSize(32);
		assertThat(this.tasks).hasSize(1);
		runAll();
		assertThat(this.delivered).hasSize(100).isSorted();
		queue.offer(change(100));
		runAll();
		assertThat(this.delivered).endsWith(100);
	}

	@Test
	void keepsOrderOnManyThreads() {
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			DeliveryQueue queue = new DeliveryQueue("test", retrying(threads), new QueueLimit(100_000, Long.MAX_VALUE),
					new DeliveryCounters(), (change) -> this.delivered.add(change.version().counter()));
			for (int i = 0; i < 5_000; i++) {
				queue.offer(change(i));
			}
			await("all").until(() -> this.delivered.size() == 5_000);
			assertThat(this.delivered).isSorted();
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * Offers each change right after the delivery of the previous one, and thus often at
	 * the moment in which the task finds the queue empty. No thread sleeps, so that most
	 * runs hit this moment within a few offers. On a single processor, time ends the
	 * test.
	 */
	@Test
	void deliversChangeOfferedWhileTaskEnds() {
		AtomicReference<Runnable> next = new AtomicReference<>();
		AtomicInteger count = new AtomicInteger();
		DeliveryQueue queue = new DeliveryQueue("test", retrying(next::set), new QueueLimit(10, Long.MAX_VALUE),
				new DeliveryCounters(), (change) -> count.incrementAndGet());
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try {
			thread.execute(() -> {
				while (!Thread.currentThread().isInterrupted()) {
					Runnable task = next.getAndSet(null);
					if (task != null) {
						task.run();
					}
				}
			});
			KeyChange<Bytes> change = change(1);
			int offered = 0;
			boolean lost = false;
			// No assertion in the loop, because it would delay the next offer.
			long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
			while (offered < 20_000 && !lost && System.nanoTime() < end) {
				queue.offer(change);
				offered++;
				long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
				while (count.get() < offered && !lost) {
					lost = System.nanoTime() > deadline;
				}
			}
			assertThat(count).hasValue(offered);
		}
		finally {
			thread.shutdownNow();
		}
	}

	@Test
	void blockedQueueDoesNotDelayOtherQueues() {
		ExecutorService threads = Executors.newCachedThreadPool();
		CountDownLatch release = new CountDownLatch(1);
		try {
			DeliveryQueue stuck = new DeliveryQueue("stuck", retrying(threads), new QueueLimit(10, Long.MAX_VALUE),
					new DeliveryCounters(), (change) -> awaitQuietly(release));
			DeliveryQueue free = new DeliveryQueue("free", retrying(threads), new QueueLimit(10, Long.MAX_VALUE),
					new DeliveryCounters(), (change) -> this.delivered.add(change.version().counter()));
			stuck.offer(change(1));
			free.offer(change(2));
			await("the other queue").until(() -> this.delivered.contains(2));
		}
		finally {
			release.countDown();
			threads.shutdownNow();
		}
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void keepsLatestChangeWhenFullAndWarnsOnce() {
		List<KeyChange<Bytes>> changes = new ArrayList<>();
		DeliveryQueue queue = new DeliveryQueue("test", retrying(this.tasks::add), new QueueLimit(3, Long.MAX_VALUE),
				new DeliveryCounters(), changes::add);
		for (int i = 0; i < 10; i++) {
			queue.offer(change(i));
		}
		assertThat(warnings()).isEqualTo(1);
		assertThat(this.log.messages().get(0)).contains("'test'", "key key", "dropped 3 waiting changes");
		runAll();
		// 3 replaced 0 to 2, 6 replaced 3 to 5, and 9 replaced 6 to 8.
		assertThat(changes).extracting((change) -> change.version().counter()).containsExactly(9);
		assertThat(changes.get(0).resynchronized()).isTrue();
		for (int i = 10; i < 14; i++) {
			queue.offer(change(i));
		}
		assertThat(warnings()).isEqualTo(2);
	}

	private long warnings() {
		return this.log.messages().size();
	}

	@Test
	void closeDropsWaitingChangesAndAwaitsRunningCall() throws InterruptedException {
		ExecutorService threads = Executors.newSingleThreadExecutor();
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		try {
			DeliveryQueue queue = new DeliveryQueue("test", retrying(threads), new QueueLimit(10, Long.MAX_VALUE),
					new DeliveryCounters(), (change) -> {
						running.countDown();
						awaitQuietly(release);
						this.delivered.add(change.version().counter());
					});
			queue.offer(change(1));
			queue.offer(change(2));
			running.await();
			CompletableFuture<Void> closed = queue.close();
			assertThat(closed).isNotDone();
			release.countDown();
			closed.join();
			queue.offer(change(3));
			assertThat(this.delivered).containsExactly(1);
			assertThat(queue.close()).isDone();
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void deliversAllChangesAfterRejections() {
		boolean[] rejects = { true };
		DeliveryQueue queue = new DeliveryQueue("test", retrying((task) -> {
			if (rejects[0]) {
				throw new RejectedExecutionException("full");
			}
			this.tasks.add(task);
		}), new QueueLimit(10, Long.MAX_VALUE), new DeliveryCounters(),
				(change) -> this.delivered.add(change.version().counter()));
		queue.offer(change(1));
		queue.offer(change(2));
		this.time.pass(1000);
		runAll();
		assertThat(this.delivered).isEmpty();
		rejects[0] = false;
		this.time.pass(100);
		runAll();
		assertThat(this.delivered).containsExactly(1, 2);
		assertThat(warnings()).isEqualTo(1);
		rejects[0] = true;
		this.time.pass(60_000);
		queue.offer(change(3));
		assertThat(warnings()).isEqualTo(2);
	}

	@Test
	void deliversOnceWhenExecutorAcceptsTaskButThrows() {
		boolean[] throwing = { true };
		DeliveryQueue queue = new DeliveryQueue("test", retrying((task) -> {
			this.tasks.add(task);
			if (throwing[0]) {
				throw new OutOfMemoryError("unable to create native thread");
			}
		}), new QueueLimit(10, Long.MAX_VALUE), new DeliveryCounters(),
				(change) -> this.delivered.add(change.version().counter()));
		queue.offer(change(1));
		this.time.pass(1000);
		throwing[0] = false;
		this.time.pass(100);
		queue.offer(change(2));
		assertThat(this.tasks).hasSizeGreaterThan(1);
		Runnable first = this.tasks.remove();
		first.run();
		assertThat(this.delivered).containsExactly(1, 2);
		queue.offer(change(3));
		// A repeated task delivers what waits, and the task scheduled for it nothing.
		first.run();
		runAll();
		assertThat(this.delivered).containsExactly(1, 2, 3);
	}

	@Test
	void closesWithoutWaitingForScheduledTask() {
		DeliveryQueue queue = queue(10);
		queue.offer(change(1));
		// The task never ran, as after the executor has been shut down.
		assertThat(queue.close()).isDone();
		runAll();
		assertThat(this.delivered).isEmpty();
	}

	@Test
	void closesWithinBatchWithoutAnotherTask() {
		List<CompletableFuture<Void>> closed = new ArrayList<>();
		DeliveryQueue[] queue = new DeliveryQueue[1];
		queue[0] = new DeliveryQueue("test", retrying((task) -> {
			if (!closed.isEmpty()) {
				throw new RejectedExecutionException("shut down");
			}
			this.tasks.add(task);
		}), new QueueLimit(100, Long.MAX_VALUE), new DeliveryCounters(), (change) -> {
			// The last change of the batch.
			if (change.version().counter() == 31) {
				closed.add(queue[0].close());
			}
		});
		for (int i = 0; i < 50; i++) {
			queue[0].offer(change(i));
		}
		this.tasks.remove().run();
		assertThat(closed).singleElement().matches(CompletableFuture::isDone);
	}

	@Test
	void continuesAfterListenerFailure() {
		DeliveryQueue queue = new DeliveryQueue("test", retrying(this.tasks::add), new QueueLimit(10, Long.MAX_VALUE),
				new DeliveryCounters(), (change) -> {
					if (change.version().counter() == 1) {
						throw new IllegalStateException("expected: a tracer, not the listener");
					}
					this.delivered.add(change.version().counter());
				});
		queue.offer(change(1));
		queue.offer(change(2));
		runAll();
		queue.offer(change(3));
		runAll();
		assertThat(this.delivered).containsExactly(2, 3);
	}

}
