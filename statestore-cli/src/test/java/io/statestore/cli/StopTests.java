package io.statestore.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import sun.misc.Signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Isolated("raises signals, which end other commands")
@Timeout(60)
class StopTests {

	private final Stop stop = Stop.onSignals();

	@AfterEach
	void close() {
		this.stop.close();
	}

	@Test
	void signalEndsWait() {
		Signal.raise(new Signal("TERM"));
		assertThat(this.stop.await(Duration.ofSeconds(50))).isTrue();
		assertThat(this.stop.isRequested()).isTrue();
	}

	@Test
	void signalInterruptsThread() {
		this.stop.perform(Thread.currentThread()::interrupt);
		Signal.raise(new Signal("TERM"));
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Thread.sleep(50_000));
	}

	@Test
	void performsActionImmediatelyAfterSignal() {
		this.stop.request();
		this.stop.perform(Thread.currentThread()::interrupt);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void requestDoesNotPerformEarlierAction() {
		this.stop.perform(Thread.currentThread()::interrupt);
		this.stop.perform(Stop.NO_ACTION);
		this.stop.request();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void laterActionWaitsForEarlierAction() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		this.stop.perform(() -> {
			begun.countDown();
			awaitUninterruptibly(end);
		});
		Thread signal = new Thread(this.stop::request);
		signal.start();
		begun.await();
		Thread next = new Thread(() -> this.stop.perform(Stop.NO_ACTION));
		next.start();
		await().until(() -> next.getState() == Thread.State.BLOCKED);
		end.countDown();
		next.join();
		signal.join();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
