package io.statestore.client.leader;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.support.SmartLifecycleRoleController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Endpoints of Spring Integration that run in the process that leads their role. */
@Timeout(60)
class SmartLifecycleRoleControllerTests {

	private static final String ROLE = RecordingCandidate.ROLE;

	@Test
	void startsAndStopsRoleEndpoints() {
		Endpoint first = new Endpoint();
		Endpoint second = new Endpoint();
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				TestClient client = new TestClient(broker.port()).start();
				AnnotationConfigApplicationContext firstApplication = application(client, first)) {
			await("the first endpoint").until(first::isRunning);
			try (AnnotationConfigApplicationContext secondApplication = application(client, second)) {
				client.template.set(ROLE, "other holder");
				await("the end of the first endpoint").until(() -> !first.isRunning());
				assertThat(second.isRunning()).isFalse();
				client.template.delete(ROLE);
				await("one endpoint").until(() -> first.isRunning() || second.isRunning());
				firstApplication.close();
				assertThat(first.isRunning()).isFalse();
				await("the second endpoint").until(second::isRunning);
			}
			assertThat(second.isRunning()).isFalse();
		}
	}

	private static AnnotationConfigApplicationContext application(TestClient client, Endpoint endpoint) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(SmartLifecycleRoleController.class,
				() -> new SmartLifecycleRoleController(List.of(ROLE), List.of(endpoint)));
		context.registerBean(StateStoreLeaderInitiator.class, () -> {
			LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMinutes(10));
			StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template, options);
			return new StateStoreLeaderInitiator(registry.obtain(ROLE), new RecordingCandidate());
		});
		context.refresh();
		return context;
	}

	/** Endpoint that must run in one process only. */
	static class Endpoint implements SmartLifecycle {

		private volatile boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

}
