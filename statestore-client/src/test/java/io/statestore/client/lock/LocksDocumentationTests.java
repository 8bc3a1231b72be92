package io.statestore.client.lock;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.DocumentedSnippets;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.observation.TestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code docs/locks.md} shows compiles, runs and is what this class runs. */
@Timeout(60)
class LocksDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(LocksDocumentationTests.class);

	@Test
	void everySnippetIsInThisClass() throws IOException {
		DocumentedSnippets.assertAllIn(getClass(), "locks.md", 4);
	}

	@Test
	void locksUpdatesAndIsTold() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				TestClient client = new TestClient(broker.port()).start()) {
			StateStoreTemplate template = client.template;
			StateStoreLockRegistry registry = new StateStoreLockRegistry(template,
					LockOptions.DEFAULT.withLease(Duration.ofSeconds(10)).withHolderName("press-1"));
			FencedLock lock = registry.obtain("press-1");
			lock.lock();
			try {
				lock.operations().set("press-1/setpoint", 180);
			}
			finally {
				lock.unlock();
			}
			int count = lock.execute((tenure) -> tenure
				.update("press-1/count", Integer.class, (value) -> Optional.of(value.orElse(0) + 1))
				.orElseThrow());
			assertThat(count).isEqualTo(1);
			lock.addLossListener((loss) -> logger.warn("Stopping: {}", loss.description()));
			boolean stillMine = lock.isValid();
			Duration left = lock.remaining();
			assertThat(stillMine).isFalse();
			assertThat(left).isZero();
		}
	}

}
