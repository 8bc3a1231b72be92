package io.statestore.client;

import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class ElasticExecutorTests {

	private static final int SIZE = 32;

	private final AtomicInteger started = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private final Queue<Thread> all = new ConcurrentLinkedQueue<>();

	private final ThreadFactory threads = (task) -> {
		if (this.failures.getAndDecrement() > 0) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		this.started.incrementAndGet();
		Thread thread = new Thread(task);
		this.all.add(thread);
		thread.setDaemon(true);
		return thread;
	};

	private final Queue<Runnable> scheduled = new ConcurrentLinkedQueue<>();

	/** Collects tasks, which {@link #passDelays()} runs. */
	private final ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(1) {

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			ElasticExecutorTests.this.scheduled.add(task);
			return super.schedule(() -> {
			}, 0, unit);
		}

	};

	private final CountDownLatch blocker = new CountDownLatch(1);

	private final ElasticExecutor growing = new ElasticExecutor(this.threads, SIZE, 512, this.timer);

	private final ElasticExecutor bounded = new ElasticExecutor(this.threads, SIZE, SIZE, this.timer);

	@AfterEach
	void close() {
		this.blocker.countDown();
		this.timer.shutdownNow();
	}

	private void block() {
		try {
			this.blocker.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run(Executor executor) throws InterruptedException {
		run(executor, 0);
	}

	/** Runs a task after a number of delays of the executor. */
	private void run(Executor executor, int delays) throws InterruptedException {
		CountDownLatch done = new CountDownLatch(1);
		executor.execute(done::countDown);
		for (int i = 0; i < delays; i++) {
			passDelays();
		}
		assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
	}

	private void passDelays() {
		for (int count = this.scheduled.size(); count > 0; count--) {
			this.scheduled.remove().run();
		}
	}

	@Test
	void reusesIdleThreads() throws Exception {
		for (int i = 0; i < 10 * SIZE; i++) {
			run(this.bounded);
		}
		assertThat(this.started).hasValueLessThan(SIZE / 4);
	}

	@Test
	void stopsThreadsThatTimeOutTogether() throws Exception {
		this.bounded.setIdleTime(Duration.ofNanos(1));
		for (int i = 0; i < 300; i++) {
			CountDownLatch done = new CountDownLatch(8);
			for (int task = 0; task < 8; task++) {
				this.bounded.execute(done::countDown);
			}
			assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
			if (i % 20 == 0) {
				await("the end of all threads").until(() -> this.all.stream().noneMatch(Thread::isAlive));
			}
		}
	}

	@Test
	void runsTasksUpToLimitConcurrently() throws Exception {
		CyclicBarrier all = new CyclicBarrier(SIZE);
		CountDownLatch done = new CountDownLatch(SIZE);
		for (int i = 0; i < SIZE; i++) {
			this.bounded.execute(() -> {
				try {
					all.await(30, TimeUnit.SECONDS);
					done.countDown();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			});
		}
		assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void runsWaitingTasksInOrder() throws Exception {
		AtomicBoolean enough = new AtomicBoolean();
		CountDownLatch begun = new CountDownLatch(SIZE);
		for (int i = 0; i < SIZE; i++) {
			this.bounded.execute(new Runnable() {

				@Override
				public void run() {
					begun.countDown();
					if (!enough.get()) {
						ElasticExecutorTests.this.bounded.execute(this);
					}
				}

			});
		}
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		run(this.bounded);
		enough.set(true);
	}

	@Test
	void staysWithinLimitWhenManyTasksBlock() throws Exception {
		int tasks = 3000;
		CountDownLatch done = new CountDownLatch(tasks);
		for (int i = 0; i < tasks; i++) {
			this.growing.execute(() -> {
				block();
				done.countDown();
			});
		}
		assertThat(this.started).hasValue(SIZE);
		this.blocker.countDown();
		assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void addsThreadsWhenAllBlock() throws Exception {
		for (int i = 0; i < SIZE; i++) {
			this.growing.execute(this::block);
		}
		run(this.growing, 1);
	}

	@Test
	void runsTaskWhileAnotherThreadEnds() throws Exception {
		ElasticExecutor two = new ElasticExecutor(this.threads, 2, 2, this.timer);
		two.setIdleTime(Duration.ofMillis(1));
		two.execute(this::block);
		for (int i = 0; i < 600; i++) {
			run(two);
			LockSupport.parkNanos(900_000 + 100 * i);
		}
	}

	@Test
	void growsWithNumberOfBlockedThreads() throws Exception {
		ElasticExecutor executor = new ElasticExecutor(this.threads, 4, 64, this.timer);
		CountDownLatch blocking = new CountDownLatch(40);
		for (int i = 0; i < 40; i++) {
			executor.execute(() -> {
				blocking.countDown();
				block();
			});
		}
		for (int i = 0; i < 9; i++) {
			passDelays();
		}
		assertThat(blocking.await(30, TimeUnit.SECONDS)).isTrue();
		// No task waits any more.
		passDelays();
		run(executor, 1);
	}

	@Test
	void returnsToLimitAfterGrowth() throws Exception {
		CountDownLatch blocking = new CountDownLatch(SIZE + 1);
		for (int i = 0; i < SIZE + 1; i++) {
			this.growing.execute(() -> {
				blocking.countDown();
				block();
			});
		}
		passDelays();
		assertThat(blocking.await(30, TimeUnit.SECONDS)).isTrue();
		Set<Thread> used = ConcurrentHashMap.newKeySet();
		for (int i = 0; i < 10; i++) {
			this.growing.execute(() -> used.add(Thread.currentThread()));
			run(this.growing);
		}
		assertThat(used).hasSizeLessThan(10);
	}

	@Test
	void retriesTaskWhenThreadCannotStart() throws Exception {
		this.failures.set(2);
		run(this.growing, 2);
	}

}
