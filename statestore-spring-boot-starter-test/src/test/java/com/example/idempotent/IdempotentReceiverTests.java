package com.example.idempotent;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.example.RecipeTest;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import io.statestore.testing.broker.TestClient;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The recipe "Process each message once" in {@code docs/recipes.md}. */
@RecipeTest
class IdempotentReceiverTests {

	@Autowired
	private IdempotentReceiver receiver;

	@Autowired
	private TestBroker broker;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestTime time;

	private final AtomicInteger work = new AtomicInteger();

	@Test
	void worksOnceAcrossTwoInstances() {
		try (TestClient client = this.broker.connect("second")) {
			IdempotentReceiver second = new IdempotentReceiver(client.operations());
			assertThat(this.receiver.receive("m1", this.work::incrementAndGet)).isTrue();
			assertThat(this.receiver.receive("m1", this.work::incrementAndGet)).isFalse();
			assertThat(second.receive("m1", this.work::incrementAndGet)).isFalse();
			assertThat(second.receive("m2", this.work::incrementAndGet)).isTrue();
		}
		assertThat(this.work).hasValue(2);
	}

	@Test
	void worksOnceForConcurrentDeliveries() throws Exception {
		try (TestClient client = this.broker.connect("second")) {
			List<IdempotentReceiver> instances = List.of(this.receiver, new IdempotentReceiver(client.operations()));
			ExecutorService threads = Executors.newFixedThreadPool(8);
			try {
				for (Future<?> delivery : threads.invokeAll(IntStream.range(0, 8)
					.mapToObj((i) -> Executors.callable(() -> deliver(instances.get(i % 2), "m1")))
					.toList())) {
					delivery.get();
				}
			}
			finally {
				threads.shutdown();
			}
		}
		assertThat(this.work).hasValue(1);
	}

	/** Delivers a message until it is acknowledged. */
	private void deliver(IdempotentReceiver instance, String messageId) {
		while (true) {
			try {
				instance.receive(messageId, this.work::incrementAndGet);
				return;
			}
			catch (IllegalStateException ex) {
				Thread.onSpinWait();
			}
		}
	}

	@Test
	void refusesDeliveryWhileAnotherIsProcessed() {
		this.receiver.receive("m1", () -> {
			this.work.incrementAndGet();
			assertThatIllegalStateException().isThrownBy(() -> this.receiver.receive("m1", this.work::incrementAndGet));
		});
		assertThat(this.work).hasValue(1);
	}

	@Test
	void retriesFailedWorkImmediately() {
		assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> this.receiver.receive("m1", () -> {
			throw new ArithmeticException();
		}));
		assertThat(this.receiver.receive("m1", this.work::incrementAndGet)).isTrue();
	}

	@Test
	void repeatsWorkOfCrashedInstanceAfterClaim() {
		try (TestClient client = this.broker.connect("crashing")) {
			IdempotentReceiver crashing = new IdempotentReceiver(client.operations());
			assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
				.isThrownBy(() -> crashing.receive("m1", () -> {
					this.work.incrementAndGet();
					this.faults.requests().ofClient("crashing").next(1).cut();
				}));
		}
		assertThatIllegalStateException().isThrownBy(() -> this.receiver.receive("m1", this.work::incrementAndGet));
		this.time.advance(Duration.ofSeconds(61));
		assertThat(this.receiver.receive("m1", this.work::incrementAndGet)).isTrue();
		assertThat(this.work).hasValue(2);
	}

	@Test
	void forgetsMessageAfterOneHour() {
		this.receiver.receive("m1", this.work::incrementAndGet);
		this.time.advance(Duration.ofMinutes(59));
		assertThat(this.receiver.receive("m1", this.work::incrementAndGet)).isFalse();
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.receiver.receive("m1", this.work::incrementAndGet)).isTrue();
	}

}
