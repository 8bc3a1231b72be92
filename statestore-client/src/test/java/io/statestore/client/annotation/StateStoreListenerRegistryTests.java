package io.statestore.client.annotation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Starts and stops of listeners by several threads. */
@Timeout(120)
@Isolated("captures the log")
class StateStoreListenerRegistryTests extends RegistrySetup {

	@Test
	void listenerStoppedDuringRegistryStartStaysStopped() {
		StateStoreListenerEndpoint endpoint = register(this::record);
		this.onNextStart.set(() -> this.registry.stop("it"));
		this.registry.start();
		assertThat(endpoint.isRunning()).isFalse();
		this.registry.stop();
		this.registry.start();
		assertThat(endpoint.isRunning()).isFalse();
	}

	@Test
	void listenerStartedDuringRegistryStopDoesNotRun() {
		StateStoreListenerEndpoint endpoint = register(this::record);
		this.registry.start();
		this.registry.stop("it");
		this.onNextStart.set(this.registry::stop);
		this.registry.start("it");
		assertThat(endpoint.isRunning()).isFalse();
		this.registry.start();
		assertThat(endpoint.isActive()).isTrue();
	}

	@Test
	void listenerRegisteredDuringRegistryStopDoesNotRun() {
		this.registry.start();
		this.onNextStart.set(this.registry::stop);
		assertThat(register(this::record).isRunning()).isFalse();
	}

	@Test
	void concurrentStartsAndStopsLeaveOneWatch() {
		StateStoreListenerEndpoint endpoint = register(this::record);
		List<Runnable> actions = List.of(this.registry::start, this.registry::stop, () -> this.registry.start("it"),
				() -> this.registry.stop("it"));
		for (int round = 0; round < 50; round++) {
			int first = round;
			inParallel(IntStream.range(0, 4)
				.mapToObj((i) -> actions.get((first + i * (1 + first / 4)) % 4))
				.toArray(Runnable[]::new));
			boolean running = endpoint.isRunning();
			boolean registryRunning = this.registry.isRunning();
			this.registry.start();
			assertThat(running).isEqualTo(registryRunning && endpoint.isRunning());
			if (!registryRunning) {
				this.registry.stop();
			}
		}
		inParallel(this.registry::start, () -> this.registry.start("it"));
		assertThat(endpoint.isActive()).isTrue();
		writeAndWait("1");
		writeAndWait("2");
		await().until(() -> this.calls.contains("2"));
		assertThat(this.calls).containsExactly("1", "2");
		this.registry.stop();
		writeAndWait("3");
		assertThat(this.calls).containsExactly("1", "2");
	}

	@Test
	void restartedListenerWaitsForItsLastCall() {
		StateStoreListenerRegistry withoutTimeout = registry(Duration.ZERO);
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch release = new CountDownLatch(1);
		StateStoreListenerEndpoint endpoint = endpoint((change) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			record(change);
			release.await();
			running.decrementAndGet();
		}, null);
		withoutTimeout.register(endpoint);
		withoutTimeout.start();
		await().until(endpoint::isActive);
		store.set("key", "1");
		await().until(() -> this.calls.contains("1"));
		stopWithoutWaiting(withoutTimeout);
		assertThat(endpoint.isRunning()).isFalse();
		for (int i = 0; i < 3; i++) {
			withoutTimeout.start("it");
			writeAndWait("2");
			assertThat(endpoint.isRunning()).isTrue();
			stopWithoutWaiting(withoutTimeout);
		}
		withoutTimeout.start("it");
		assertThat(endpoint.isActive()).isFalse();
		writeAndWait("2");
		release.countDown();
		await().until(endpoint::isActive);
		store.set("key", "3");
		await().until(() -> this.calls.contains("3"));
		assertThat(most).hasValue(1);
		assertThat(this.calls).containsExactly("1", "3");
		withoutTimeout.stop();
		assertThat(this.log.list).extracting(ILoggingEvent::getFormattedMessage)
			.anyMatch((line) -> line.contains("'it' is still running"))
			.anyMatch((line) -> line.contains("'it' does not watch [key] yet: its last call is still running"));
	}

	private static void inParallel(Runnable... actions) {
		// The common pool may have a single thread.
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture
			.allOf(Stream.of(actions)
				.map((action) -> CompletableFuture.runAsync(action, threads))
				.toArray(CompletableFuture[]::new))
			.join();
	}

	private static void stopWithoutWaiting(StateStoreListenerRegistry registry) {
		Thread.currentThread().interrupt();
		registry.stop("it");
		assertThat(Thread.interrupted()).isTrue();
	}

}
