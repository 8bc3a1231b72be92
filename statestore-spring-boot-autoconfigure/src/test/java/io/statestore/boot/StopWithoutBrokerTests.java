package io.statestore.boot;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.annotation.Locked;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.test.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Applications that stop while waiting for a lock when there is no broker. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@Isolated("captures the log")
class StopWithoutBrokerTests {

	/** Less than any stop timeout, of which the shortest is 5 s. */
	private static final Duration PROMPT = Duration.ofSeconds(3);

	@ParameterizedTest
	@ValueSource(classes = { WaitingThread.class, LockedTask.class, Candidate.class })
	void stopsImmediatelyIfBrokerWasNeverReachable(Class<?> waiter, CapturedOutput output) {
		ConfigurableApplicationContext context = run(waiter, FreePorts.next());
		StateStoreConnection connection = context.getBean(StateStoreConnection.class);
		await("a waiting call").until(() -> connection.pendingCalls() > 0);
		assertStopsAtOnce(context);
		assertThat(output).doesNotContain("still held", "not confirmed");
	}

	@ParameterizedTest
	@ValueSource(classes = { WaitingThread.class, LockedTask.class, Candidate.class })
	void stopsImmediatelyIfBrokerIsGone(Class<?> waiter, CapturedOutput output) {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			try (ConfigurableApplicationContext other = run(Other.class, broker.port())) {
				other.getBean(StateStoreOperations.class).set("lock", "held");
			}
			ConfigurableApplicationContext context = run(waiter, broker.port());
			StateStoreOperations store = context.getBean(StateStoreOperations.class);
			await("the successor").until(() -> store.get("lock\u0000successor", String.class).isPresent());
			close(broker, context);
			assertStopsAtOnce(context);
		}
		assertThat(output).doesNotContain("still held", "not confirmed that all");
	}

	@Test
	void leaderStopsImmediatelyIfBrokerIsGone() {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			ConfigurableApplicationContext context = run(Candidate.class, broker.port());
			await("the term").until(context.getBean(StateStoreLeaderInitiator.class)::isLeader);
			close(broker, context);
			assertStopsAtOnce(context);
		}
	}

	@Test
	void holderIsNotifiedOfStopIfBrokerIsGone() {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			ConfigurableApplicationContext context = run(HoldingThread.class, broker.port(),
					"statestore.lock.stop-timeout=100ms", "statestore.lock.interrupt-holder=true");
			HoldingThread holder = context.getBean(HoldingThread.class);
			await("the lock").until(holder.lock::isValid);
			close(broker, context);
			assertStopsAtOnce(context);
			assertThat(holder.loss).succeedsWithin(PROMPT).extracting(LockLostEvent::reason).isEqualTo(Reason.STOPPED);
			assertThat(holder.interrupted).succeedsWithin(PROMPT);
		}
	}

	@Test
	void stopsImmediatelyIfTaskUnlocksWhileBrokerIsGone() {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			ConfigurableApplicationContext context = run(UnlockingTask.class, broker.port());
			UnlockingTask task = context.getBean(UnlockingTask.class);
			await("the lock").until(task.lock::isValid);
			close(broker, context);
			task.unlock.countDown();
			StateStoreConnection connection = context.getBean(StateStoreConnection.class);
			await("the release").until(() -> connection.pendingCalls() > 0);
			assertStopsAtOnce(context);
		}
	}

	private static void close(StateStoreBroker broker, ConfigurableApplicationContext context) {
		broker.close();
		StateStoreConnection connection = context.getBean(StateStoreConnection.class);
		await("the loss of the connection").until(() -> !connection.isConnected());
	}

	private static void assertStopsAtOnce(ConfigurableApplicationContext context) {
		long start = System.nanoTime();
		context.close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPT);
	}

	private static ConfigurableApplicationContext run(Class<?> waiter, int port, String... properties) {
		return new SpringApplicationBuilder(Application.class, waiter).web(WebApplicationType.NONE)
			.properties("statestore.port=" + port, "statestore.start-timeout=0s", "statestore.lock.lease=1m",
					"statestore.leader.lease=1m", "statestore.leader.enabled=" + (waiter == Candidate.class),
					"statestore.leader.role=lock")
			.properties(properties)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@ImportAutoConfiguration({ EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
			StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class,
			TaskSchedulingAutoConfiguration.class })
	static class Application {

	}

	static class Other {

	}

	static class Candidate {

	}

	static class WaitingThread {

		WaitingThread(StateStoreLockRegistry registry) {
			FencedLock lock = registry.obtain("lock");
			CompletableFuture.runAsync(lock::lock, (task) -> new Thread(task).start());
		}

	}

	static class HoldingThread {

		private final FencedLock lock;

		private final CompletableFuture<LockLostEvent> loss = new CompletableFuture<>();

		private final CompletableFuture<Void> interrupted = new CompletableFuture<>();

		HoldingThread(StateStoreLockRegistry registry) {
			this.lock = registry.obtain("lock");
			this.lock.addLossListener(this.loss::complete);
			Thread thread = new Thread(this::hold);
			thread.setDaemon(true);
			thread.start();
		}

		private void hold() {
			this.lock.lock();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				this.interrupted.complete(null);
			}
		}

	}

	static class UnlockingTask {

		private final FencedLock lock;

		private final CountDownLatch unlock = new CountDownLatch(1);

		UnlockingTask(StateStoreLockRegistry registry) {
			this.lock = registry.obtain("lock");
		}

		@Scheduled(fixedDelay = 1000)
		void run() throws InterruptedException {
			this.lock.lock();
			this.unlock.await();
			this.lock.unlock();
		}

	}

	static class LockedTask {

		@Scheduled(fixedDelay = 1000)
		@Locked("lock")
		void run() {
		}

	}

}
