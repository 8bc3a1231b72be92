package io.statestore.testing.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DelayLineTests {

	private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

	private final DelayLine line = new DelayLine(this.scheduler);

	@AfterEach
	void stop() {
		this.scheduler.shutdownNow();
	}

	@Test
	void runsUndelayedActionOnCaller() {
		List<Thread> threads = new ArrayList<>();
		this.line.add(Duration.ZERO, () -> threads.add(Thread.currentThread()));
		assertThat(threads).containsExactly(Thread.currentThread());
	}

	@Test
	void nestedActionRunsAfterOuterAction() {
		List<String> order = new ArrayList<>();
		this.line.add(Duration.ZERO, () -> {
			this.line.add(Duration.ZERO, () -> order.add("nested"));
			order.add("outer");
		});
		assertThat(order).containsExactly("outer", "nested");
	}

	@Test
	void runsActionAfterFailedAction() {
		List<String> order = new ArrayList<>();
		this.line.add(Duration.ZERO, () -> {
			throw new IllegalStateException("expected by the test");
		});
		this.line.add(Duration.ZERO, () -> order.add("next"));
		assertThat(order).containsExactly("next");
	}

	@Test
	void closeDropsWaitingActionsAndRunsLast() {
		List<String> order = new ArrayList<>();
		this.line.add(Duration.ofHours(1), () -> order.add("late"));
		this.line.add(Duration.ZERO, () -> order.add("behind"));
		this.line.close(() -> order.add("last"));
		this.line.add(Duration.ZERO, () -> order.add("closed"));
		this.line.close(() -> order.add("second close"));
		assertThat(order).containsExactly("last");
	}

	@Test
	void keepsOrderWithConcurrentDelays() {
		int count = 500;
		AtomicInteger expected = new AtomicInteger();
		List<Integer> outOfOrder = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			int number = i;
			this.line.add(Duration.ofNanos(i % 7 * 100_000L), () -> {
				if (expected.getAndIncrement() != number) {
					outOfOrder.add(number);
				}
			});
		}
		Awaitility.await().until(() -> expected.get() == count);
		assertThat(outOfOrder).isEmpty();
	}

}
