package com.example.limit;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.example.RecipeTest;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.TestBroker;
import io.statestore.testing.broker.TestClient;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/** The recipe "Rate limit across instances" in {@code docs/recipes.md}. */
@RecipeTest
class RateLimiterTests {

	@Autowired
	private RateLimiter reports;

	@Autowired
	private TestBroker broker;

	@Autowired
	private TestTime time;

	@Test
	void twoInstancesShareLimit() throws Exception {
		AtomicInteger granted = new AtomicInteger();
		try (TestClient client = this.broker.connect("second")) {
			List<RateLimiter> instances = List.of(this.reports, new Limits().reports(client.operations()));
			ExecutorService threads = Executors.newFixedThreadPool(4);
			try {
				List<Callable<Boolean>> calls = IntStream.range(0, 20)
					.<Callable<Boolean>>mapToObj((i) -> instances.get(i % 2)::tryAcquire)
					.toList();
				for (Future<Boolean> call : threads.invokeAll(calls)) {
					granted.addAndGet(call.get() ? 1 : 0);
				}
			}
			finally {
				threads.shutdown();
			}
		}
		assertThat(granted).hasValue(5);
	}

	@Test
	void permitReturnsAfterWindow() {
		assertThat(acquire(2)).isEqualTo(2);
		this.time.advance(Duration.ofSeconds(40));
		assertThat(acquire(9)).isEqualTo(3);
		this.time.advance(Duration.ofMillis(19_900));
		assertThat(acquire(9)).isZero();
		this.time.advance(Duration.ofMillis(200));
		assertThat(acquire(9)).isEqualTo(2);
		this.time.advance(Duration.ofSeconds(41));
		assertThat(acquire(9)).isEqualTo(3);
	}

	private long acquire(int calls) {
		return IntStream.range(0, calls).filter((i) -> this.reports.tryAcquire()).count();
	}

}
