package io.statestore.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class AgeMeasurementTests {

	private final List<CompletableFuture<Void>> confirmations = new ArrayList<>();

	private final AgeMeasurement measurement = new AgeMeasurement(() -> {
		CompletableFuture<Void> confirmation = new CompletableFuture<>();
		this.confirmations.add(confirmation);
		return confirmation;
	});

	private Duration age() {
		return this.measurement.age().orElseThrow();
	}

	@Test
	void ageBeginsWithConfirmationThatSucceeds() {
		long before = System.nanoTime();
		this.measurement.check();
		long begun = System.nanoTime();
		assertThat(this.measurement.age()).isEmpty();
		BrokerCluster.await().until(() -> System.nanoTime() - begun > Duration.ofMillis(50).toNanos());
		this.confirmations.get(0).complete(null);
		assertThat(age()).isGreaterThan(Duration.ofMillis(50))
			.isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - before));
	}

	@Test
	void oneConfirmationIsPendingAtATime() {
		this.measurement.check();
		this.measurement.check();
		assertThat(this.confirmations).hasSize(1);
	}

	@Test
	void failureBeforeFirstSuccessIsRepeatedAtOnce() {
		for (int i = 1; i <= 3; i++) {
			this.measurement.check();
			assertThat(this.confirmations).hasSize(i);
			this.confirmations.get(i - 1).completeExceptionally(new IOException("no leader"));
			assertThat(this.measurement.age()).isEmpty();
		}
	}

	@Test
	void nextConfirmationBeginsAfterAnInterval() {
		this.measurement.check();
		this.confirmations.get(0).complete(null);
		this.measurement.check();
		assertThat(this.confirmations).hasSize(1);
		BrokerCluster.await().until(() -> {
			this.measurement.check();
			return this.confirmations.size() == 2;
		});
		Duration age = age();
		assertThat(age).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
		this.confirmations.get(1).completeExceptionally(new IOException("no leader"));
		assertThat(age()).isGreaterThanOrEqualTo(age);
	}

	@Test
	void exceptionIsAFailure() {
		AgeMeasurement failing = new AgeMeasurement(() -> {
			throw new IllegalStateException("stopped");
		});
		assertThatCode(failing::check).doesNotThrowAnyException();
		assertThat(failing.age()).isEqualTo(Optional.empty());
	}

}
