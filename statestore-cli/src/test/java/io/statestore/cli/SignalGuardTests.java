package io.statestore.cli;

import java.time.Duration;

import io.statestore.client.mqtt.ConnectionOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class SignalGuardTests {

	private final Session session = new Session(ConnectionOptions.builder().build());

	private SignalGuard guard = new SignalGuard(this.session, Duration.ofSeconds(50));

	@AfterEach
	void close() {
		this.guard.close();
		this.session.close();
	}

	@Test
	void signalDoesNotInterruptWritesAtOnce() throws Exception {
		this.guard.beginWrites();
		Thread signal = signal();
		await().until(() -> signal.getState() == Thread.State.TIMED_WAITING);
		this.guard.close();
		signal.join();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void signalInterruptsWritesAfterGraceTime() throws Exception {
		this.guard.close();
		this.guard = new SignalGuard(this.session, Duration.ofMillis(1));
		this.guard.beginWrites();
		signal();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Thread.sleep(50_000));
	}

	@Test
	void startsNothingAfterSignal() {
		signal();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Thread.sleep(50_000));
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.guard::beginWrites);
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.guard.start(() -> {
			throw new AssertionError("started");
		}));
	}

	@Test
	void releaseAfterSignalIsNotInterrupted() {
		signal();
		while (!Thread.currentThread().isInterrupted()) {
			Thread.onSpinWait();
		}
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.guard::beginWrites);
		assertThat(Thread.interrupted()).isFalse();
	}

	private Thread signal() {
		Thread signal = new Thread(this.guard::stopping);
		signal.start();
		return signal;
	}

}
