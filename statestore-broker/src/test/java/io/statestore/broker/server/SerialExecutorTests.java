package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(60)
class SerialExecutorTests {

	private final ExecutorService relief = Executors.newSingleThreadExecutor();

	private final List<Error> errors = new CopyOnWriteArrayList<>();

	private final SerialExecutor serial = new SerialExecutor(this.relief, this.errors::add);

	@AfterEach
	void shutdown() {
		this.relief.shutdownNow();
	}

	@Test
	void runsTaskOnCallerBeforeReturning() {
		List<Thread> threads = new ArrayList<>();
		this.serial.execute(() -> threads.add(Thread.currentThread()));
		assertThat(threads).containsExactly(Thread.currentThread());
	}

	@Test
	void runsNestedTaskAfterward() {
		List<String> order = new ArrayList<>();
		this.serial.execute(() -> {
			this.serial.execute(() -> order.add("inner"));
			order.add("outer");
		});
		assertThat(order).containsExactly("outer", "inner");
	}

	@Test
	void continuesAfterException() {
		List<String> order = new ArrayList<>();
		this.serial.execute(() -> {
			this.serial.execute(() -> order.add("next"));
			throw new IllegalStateException("on purpose");
		});
		assertThat(order).containsExactly("next");
		assertThat(this.errors).isEmpty();
	}

	@Test
	void runsNoTaskAfterError() {
		List<String> order = new ArrayList<>();
		OutOfMemoryError error = new OutOfMemoryError("on purpose");
		this.serial.execute(() -> {
			this.serial.execute(() -> order.add("next"));
			throw error;
		});
		this.serial.execute(() -> order.add("later"));
		assertThat(order).isEmpty();
		assertThat(this.errors).containsExactly(error);
	}

	@Test
	void runsTasksOnceInCallerOrder() throws InterruptedException {
		int callers = 4;
		int tasks = 50_000;
		int[] last = new int[callers];
		AtomicBoolean busy = new AtomicBoolean();
		AtomicInteger faults = new AtomicInteger();
		CountDownLatch done = new CountDownLatch(callers * tasks);
		List<Thread> threads = new ArrayList<>();
		for (int caller = 0; caller < callers; caller++) {
			int me = caller;
			threads.add(new Thread(() -> {
				for (int i = 1; i <= tasks; i++) {
					int number = i;
					this.serial.execute(() -> {
						if (!busy.compareAndSet(false, true) || last[me] != number - 1) {
							faults.incrementAndGet();
						}
						last[me] = number;
						busy.set(false);
						done.countDown();
					});
				}
			}));
		}
		threads.forEach(Thread::start);
		assertThat(done.await(50, TimeUnit.SECONDS)).isTrue();
		assertThat(faults).hasValue(0);
	}

	@Test
	void relievesCallerThatRunsManyTasks() throws InterruptedException {
		CountDownLatch release = new CountDownLatch(1);
		CountDownLatch relieved = new CountDownLatch(1);
		Thread caller = new Thread(() -> this.serial.execute(() -> {
			for (int i = 0; i < 1_000; i++) {
				this.serial.execute(() -> {
				});
			}
			this.serial.execute(() -> {
				relieved.countDown();
				await(release);
			});
		}));
		caller.start();
		assertThat(relieved.await(10, TimeUnit.SECONDS)).isTrue();
		caller.join();
		release.countDown();
	}

	@Test
	void reportsReliefErrorOnce() {
		OutOfMemoryError error = new OutOfMemoryError("on purpose");
		SerialExecutor alone = new SerialExecutor((task) -> {
			throw error;
		}, this.errors::add);
		AtomicInteger count = new AtomicInteger();
		alone.execute(() -> {
			for (int i = 0; i < 1_000; i++) {
				alone.execute(count::incrementAndGet);
			}
		});
		assertThat(this.errors).containsExactly(error);
		assertThat(count.get()).isLessThan(1_000);
	}

	@Test
	void stopsWhenErrorReportFails() {
		SerialExecutor broken = new SerialExecutor(this.relief, (error) -> {
			throw error;
		});
		AtomicInteger count = new AtomicInteger();
		broken.execute(() -> {
			throw new OutOfMemoryError("on purpose");
		});
		broken.execute(count::incrementAndGet);
		assertThat(count).hasValue(0);
	}

	@Test
	void callerContinuesIfReliefRejects() {
		SerialExecutor alone = new SerialExecutor((task) -> {
			throw new RejectedExecutionException();
		}, this.errors::add);
		AtomicInteger count = new AtomicInteger();
		alone.execute(() -> {
			for (int i = 0; i < 1_000; i++) {
				alone.execute(count::incrementAndGet);
			}
		});
		assertThat(count).hasValue(1_000);
	}

	@Test
	void callWaitsForTaskOnAnotherThread() throws InterruptedException {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch proceed = new CountDownLatch(1);
		Thread other = new Thread(() -> this.serial.execute(() -> {
			started.countDown();
			await(proceed);
		}));
		other.start();
		started.await();
		Thread.currentThread().interrupt();
		this.relief.execute(proceed::countDown);
		List<Thread> threads = new CopyOnWriteArrayList<>();
		assertThat(this.serial.call(() -> threads.add(Thread.currentThread()))).isTrue();
		assertThat(threads).hasSize(1);
		assertThat(Thread.interrupted()).isTrue();
		other.join();
	}

	@Test
	void callRethrowsTaskException() {
		IllegalStateException failure = new IllegalStateException("on purpose");
		assertThatIllegalStateException().isThrownBy(() -> this.serial.call(() -> {
			throw failure;
		})).isSameAs(failure);
	}

	@Test
	void callReportsTaskError() {
		assertThat(this.serial.call(() -> {
			throw new OutOfMemoryError("on purpose");
		})).isFalse();
		assertThat(this.serial.call(() -> {
		})).isFalse();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
