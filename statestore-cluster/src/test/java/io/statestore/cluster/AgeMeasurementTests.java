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

	private Duration time = Duration.ofDays(1);

	private final AgeMeasurement measurement = new AgeMeasurement(() -> {
		CompletableFuture<Void> confirmation = new CompletableFuture<>();
		this.confirmations.add(confirmation);
		return confirmation;
	}, () -> this.time.toNanos());

	private Duration age() {
		return this.measurement.age().orElseThrow();
	}

	private void pass(long millis) {
		this.time = this.time.plusMillis(millis);
	}

	@Test
	void ageBeginsWithConfirmationThatSucceeds() {
		this.measurement.check();
		assertThat(this.measurement.age()).isEmpty();
		pass(50);
		this.confirmations.get(0).complete(null);
		assertThat(age()).hasMillis(50);
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
		pass(999);
		this.measurement.check();
		assertThat(this.confirmations).hasSize(1);
		pass(1);
		this.measurement.check();
		assertThat(this.confirmations).hasSize(2);
		assertThat(age()).hasMillis(1_000);
		this.confirmations.get(1).completeExceptionally(new IOException("no leader"));
		assertThat(age()).hasMillis(1_000);
	}

	@Test
	void exceptionIsAFailure() {
		AgeMeasurement failing = new AgeMeasurement(() -> {
			throw new IllegalStateException("stopped");
		}, () -> this.time.toNanos());
		assertThatCode(failing::check).doesNotThrowAnyException();
		assertThat(failing.age()).isEqualTo(Optional.empty());
	}

}
