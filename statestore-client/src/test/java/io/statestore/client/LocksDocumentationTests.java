package io.statestore.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.annotation.LockedAnnotationBeanPostProcessor;
import io.statestore.client.watch.TestClient;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Compiles and runs the snippets in {@code docs/locks.md}. */
@Timeout(60)
class LocksDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(LocksDocumentationTests.class);

	@Test
	void everySnippetIsTested() throws IOException {
		DocumentedSnippets.assertAllIn("locks.md", 11, getClass(), LeaderElectionDocumentationTests.class,
				ShedLockDocumentationTests.class, Setpoints.class, Machines.class, Planner.class, Baker.class);
	}

	@Test
	void locksUpdatesAndReportsLoss() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				TestClient client = new TestClient(broker.port()).start()) {
			StateStoreTemplate template = client.template;
			StateStoreLockRegistry registry = new StateStoreLockRegistry(template,
					LockOptions.DEFAULT.withLease(Duration.ofSeconds(10)).withHolderName("press-1"));
			new Setpoints(registry).change(170);
			FencedLock lock = registry.obtain("press-1");
			lock.lock();
			try {
				lock.operations().set("press-1/setpoint", 180);
			}
			finally {
				lock.unlock();
			}
			int count = lock.execute(
					(held) -> held.update("press-1/count", Integer.class, (value) -> Optional.of(value.orElse(0) + 1))
						.orElseThrow());
			assertThat(count).isEqualTo(1);
			FencedLock limited = lock.withMaxHold(Duration.ofMinutes(5));
			limited.execute((held) -> held.operations().set("press-1/setpoint", 190));
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
				context.registerBean(LockedAnnotationBeanPostProcessor.class);
				context.registerBean(StateStoreLockRegistry.class, () -> registry);
				context.registerBean(Machines.class);
				context.refresh();
				context.getBean(Machines.class).count("7");
			}
			registry.start();
			assertThat(template.getValue("machines/7/count", Integer.class)).contains(1);
			lock.addLossListener((loss) -> logger.warn("Stopping: {}", loss.description()));
			boolean stillMine = lock.isValid();
			Duration left = lock.remaining();
			assertThat(stillMine).isFalse();
			assertThat(left).isZero();
		}
	}

}
