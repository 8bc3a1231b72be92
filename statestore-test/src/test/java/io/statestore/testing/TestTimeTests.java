package io.statestore.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.ClientResources;
import io.statestore.time.Activity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(30)
class TestTimeTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private final TestTime time = new TestTime(START);

	private final TestTime impatient = new TestTime(START, Duration.ofMillis(100));

	private final ClientResources resources = this.time.clientResources();

	private final ScheduledExecutorService timer = this.resources.timer();

	@Test
	void clocksAdvanceTogether() {
		long before = this.time.nanoTime();
		this.time.advance(Duration.ofSeconds(3));
		assertThat(this.time.now()).isEqualTo(START.plusSeconds(3));
		assertThat(this.time.currentTimeMillis()).isEqualTo(START.plusSeconds(3).toEpochMilli());
		assertThat(this.time.nanoTime() - before).isEqualTo(3_000_000_000L);
	}

	@Test
	void runsTasksInDeadlineOrder() {
		List<String> runs = new ArrayList<>();
		this.timer.schedule(() -> runs.add("b at " + this.time.now()), 2, TimeUnit.SECONDS);
		this.timer.schedule(() -> {
			runs.add("a at " + this.time.now());
			this.timer.schedule(() -> runs.add("c at " + this.time.now()), 1500, TimeUnit.MILLISECONDS);
		}, 1, TimeUnit.SECONDS);
		this.timer.schedule(() -> runs.add("never"), 1, TimeUnit.MINUTES);
		this.time.advance(Duration.ofSeconds(30));
		assertThat(runs).containsExactly("a at 2030-01-01T00:00:01Z", "b at 2030-01-01T00:00:02Z",
				"c at 2030-01-01T00:00:02.500Z");
	}

	@Test
	void repeatsTaskUntilItIsCanceled() {
		AtomicInteger runs = new AtomicInteger();
		ScheduledFuture<?> task = this.timer.scheduleWithFixedDelay(runs::incrementAndGet, 1, 10, TimeUnit.SECONDS);
		this.time.advance(Duration.ofSeconds(35));
		assertThat(runs).hasValue(4);
		task.cancel(false);
		this.time.advance(Duration.ofSeconds(35));
		assertThat(runs).hasValue(4);
	}

	@Test
	void namesThreadThatBlocks() {
		CountDownLatch released = new CountDownLatch(1);
		this.impatient.clientResources().callbacks().execute(() -> block(released));
		assertThatIllegalStateException().isThrownBy(() -> this.impatient.advance(Duration.ofSeconds(1)))
			.withMessageContaining("statestore-lock-callback")
			.withMessageContaining("TestTimeTests.block");
		released.countDown();
	}

	private static void block(CountDownLatch released) {
		try {
			released.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void namesActivityThatNeverEnds() {
		Activity activity = this.impatient.activity("requests of client 'a'");
		activity.add(2);
		assertThatIllegalStateException().isThrownBy(() -> this.impatient.advance(Duration.ofSeconds(1)))
			.withMessageContaining("2 requests of client 'a'");
		activity.close();
		activity.add(1);
		this.impatient.advance(Duration.ofSeconds(1));
	}

	@Test
	void callbackMustNotAdvance() {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		this.resources.callbacks().execute(() -> {
			try {
				this.time.advance(Duration.ofSeconds(1));
			}
			catch (IllegalStateException ex) {
				failure.set(ex);
			}
		});
		this.time.advance(Duration.ZERO);
		assertThat(failure.get()).hasMessageContaining("thread of the test");
	}

	@Test
	void refusesNegativeDuration() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.time.advance(Duration.ofSeconds(-1)))
			.withMessageContaining("PT-1S");
	}

	@Test
	void trackedThreadContinuesBeforeTimePasses() {
		List<String> steps = new ArrayList<>();
		CompletableFuture<Void> never = new CompletableFuture<>();
		Executor threads = this.time.tracked(this.resources.callbacks());
		threads.execute(() -> {
			for (int i = 0; i < 3; i++) {
				try {
					this.time.get(never, Duration.ofSeconds(10));
				}
				catch (TimeoutException ex) {
					steps.add(Duration.between(START, this.time.now()).toString());
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}
		});
		this.time.advance(Duration.ofMinutes(1));
		assertThat(steps).containsExactly("PT10S", "PT20S", "PT30S");
	}

	@Test
	void trackedThreadWaitsWithoutLimit() {
		CompletableFuture<String> awaited = new CompletableFuture<>();
		CompletableFuture<String> result = new CompletableFuture<>();
		this.impatient.clientResources().callbacks().execute(() -> {
			try {
				result.complete(this.impatient.get(awaited, null));
			}
			catch (Exception ex) {
				result.completeExceptionally(ex);
			}
		});
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> result.get(300, TimeUnit.MILLISECONDS));
		awaited.complete("done");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done");
	}

	@Test
	void waitWithoutTimeoutEndsImmediately() throws Exception {
		CompletableFuture<String> never = new CompletableFuture<>();
		for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> this.time.get(never, timeout));
		}
		assertThat(this.time.get(CompletableFuture.completedFuture("done"), Duration.ZERO)).isEqualTo("done");
		ReentrantLock lock = new ReentrantLock();
		lock.lock();
		assertThat(this.time.awaitNanos(lock, lock.newCondition(), 0)).isZero();
		assertThat(this.time.awaitNanos(lock, lock.newCondition(), -1)).isEqualTo(-1);
		lock.unlock();
	}

	@Test
	void threadContinuesAfterConditionBeforeTimePasses() {
		List<String> steps = new ArrayList<>();
		ReentrantLock lock = new ReentrantLock();
		Condition condition = lock.newCondition();
		this.resources.callbacks().execute(() -> {
			lock.lock();
			try {
				for (int i = 0; i < 4; i++) {
					this.time.awaitNanos(lock, condition, TimeUnit.SECONDS.toNanos(10));
					steps.add(Duration.between(START, this.time.now()).toString());
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				lock.unlock();
			}
		});
		this.time.advance(Duration.ofSeconds(25));
		lock.lock();
		this.time.signal(condition);
		lock.unlock();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(steps).containsExactly("PT10S", "PT20S", "PT25S", "PT35S");
	}

	@Test
	void taskWithoutDelayNeedsNoAdvance() throws Exception {
		assertThat(this.timer.schedule(() -> "done", 0, TimeUnit.SECONDS).get(10, TimeUnit.SECONDS)).isEqualTo("done");
	}

}
