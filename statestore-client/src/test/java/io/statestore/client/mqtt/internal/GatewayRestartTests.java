package io.statestore.client.mqtt.internal;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import io.statestore.protocol.Version;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that stay connected to the broker while the gateway is restarted, with the
 * default interval of renewals, which is minutes.
 */
@Timeout(60)
@RequiresProgram("mosquitto")
class GatewayRestartTests {

	/** Longest time from the start of the new gateway to the end of the test's wait. */
	private static final Duration LIMIT = Duration.ofSeconds(5);

	private Mosquitto mosquitto;

	private StateStoreGateway gateway;

	private TestClient client;

	@BeforeEach
	void start() throws IOException {
		this.mosquitto = Mosquitto.start();
		this.gateway = startGateway();
		this.client = new TestClient(this.mosquitto.port()).start();
	}

	@AfterEach
	void close() {
		this.client.close();
		this.gateway.close();
		this.mosquitto.close();
	}

	private StateStoreGateway startGateway() {
		return StateStoreGateway.builder().host("127.0.0.1").port(this.mosquitto.port()).start();
	}

	private void restartGateway() {
		this.gateway.close();
		this.gateway = startGateway();
	}

	private Version version(String key) {
		return this.client.template.get(key, String.class).orElseThrow().version();
	}

	@Test
	void notifiesListenerOfLostKeyAndLaterChanges() {
		List<KeyChange<String>> changes = new CopyOnWriteArrayList<>();
		this.client.template.watch("key", String.class, changes::add);
		this.client.template.set("key", "1");
		await("the first change").until(() -> changes.size() == 1);

		restartGateway();

		await("the deletion").atMost(LIMIT).until(() -> changes.size() == 2);
		this.client.template.set("key", "2");
		await("the next change").until(() -> changes.size() == 3);
		assertThat(changes).extracting(KeyChange::operation)
			.containsExactly(Operation.SET, Operation.DELETE, Operation.SET);
		assertThat(changes).extracting(KeyChange::version).isSorted().doesNotHaveDuplicates();
		assertThat(changes).noneMatch(KeyChange::resynchronized);
	}

	@Tag("long")
	@Test
	void notifiesHolderOfLostLock() {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(this.client.template,
				LockOptions.DEFAULT.withLease(Duration.ofSeconds(15)));
		try {
			List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
			FencedLock lock = registry.obtain("lock");
			lock.addLossListener(losses::add);
			assertThat(lock.tryLock()).isTrue();
			Version acquired = version("lock");
			// The lock is watched from its first renewal on. A renewal that is in flight
			// during the restart would create the key again.
			await("the first renewal").atMost(Duration.ofSeconds(15))
				.until(() -> version("lock").compareTo(acquired) > 0);
			assertThat(this.client.watches.isActive(Key.of("lock"))).isTrue();

			restartGateway();

			await("the loss").atMost(LIMIT).until(() -> !losses.isEmpty());
			assertThat(losses).extracting(LockLostEvent::reason).containsExactly(LockLostEvent.Reason.DELETED);
			assertThat(lock.isValid()).isFalse();
		}
		finally {
			registry.stop();
		}
	}

}
