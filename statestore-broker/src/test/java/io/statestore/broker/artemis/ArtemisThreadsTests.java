package io.statestore.broker.artemis;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

@Isolated("looks at all threads")
class ArtemisThreadsTests extends MqttBrokerTest {

	private final BlockingQueue<Error> errors = new LinkedBlockingQueue<>();

	private final ArtemisThreads threads = new ArtemisThreads(2, this.errors::add);

	@AfterEach
	void shutDown() {
		this.threads.shutdownNow();
	}

	@Test
	void reportsErrorOfTask() throws Exception {
		Error error = new OutOfMemoryError("on purpose");
		this.threads.execute(() -> {
			throw error;
		});
		assertThat(this.errors.poll(10, TimeUnit.SECONDS)).isSameAs(error);
	}

	@Test
	void continuesAfterExceptionOfTask() throws Exception {
		Thread.UncaughtExceptionHandler none = (thread, failure) -> {
		};
		this.threads.execute(() -> {
			Thread.currentThread().setUncaughtExceptionHandler(none);
			throw new IllegalStateException("on purpose");
		});
		CountDownLatch executed = new CountDownLatch(1);
		this.threads.execute(executed::countDown);
		assertThat(executed.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.errors).isEmpty();
	}

	@Test
	void runTaskSubmittedWhilePoolEnds() throws Exception {
		CountDownLatch ended = new CountDownLatch(1);
		CountDownLatch executed = new CountDownLatch(1);
		this.threads.execute(() -> {
			assertThatNoException().isThrownBy(() -> ended.await(10, TimeUnit.SECONDS));
			this.threads.execute(executed::countDown);
		});
		this.threads.shutdown();
		ended.countDown();
		assertThat(executed.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void areIdleAfterLastTaskOfTask() {
		AtomicBoolean executed = new AtomicBoolean();
		this.threads.execute(() -> this.threads.execute(() -> {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
			executed.set(true);
		}));
		this.threads.awaitIdle();
		assertThat(executed).isTrue();
	}

	@Test
	void executePacketsAndEndWithBroker() throws Exception {
		try (RawMqttConnection client = client("a1")) {
			client.subscribed("a", 1);
			assertThat(running()).isTrue();
		}
		this.broker.close();
		await("the end of the threads").until(() -> !running());
	}

	private static boolean running() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().startsWith(ArtemisThreads.NAME));
	}

}
