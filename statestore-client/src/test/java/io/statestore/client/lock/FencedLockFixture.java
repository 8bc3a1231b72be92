package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.observation.TestClient;
import org.junit.jupiter.api.AfterEach;

import static org.awaitility.Awaitility.await;

/** Two processes that use the same lock of a store on a real socket. */
abstract class FencedLockFixture {

	static final Duration LONG = Duration.ofSeconds(60);

	/** Lease that is renewed every 100 ms. */
	static final Duration SHORT = Duration.ofMillis(300);

	final StateStoreBroker broker = StateStoreBroker.builder().start();

	final List<AutoCloseable> closeables = new ArrayList<>();

	final TestClient client = new TestClient(this.broker.port());

	final TestClient other = new TestClient(this.broker.port());

	final StateStoreLockRegistry registry = registry(this.client, LockOptions.DEFAULT);

	final FencedLock lock = this.registry.obtain("lock");

	final FencedLock elsewhere = registry(this.other, LockOptions.DEFAULT).obtain("lock");

	FencedLockFixture() {
		TestClient.start(this.client, this.other);
		this.closeables.addAll(List.of(this.client, this.other));
	}

	StateStoreLockRegistry registry(TestClient client, LockOptions options) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template,
				options.withStopTimeout(Duration.ZERO));
		this.closeables.add(0, registry::stop);
		return registry;
	}

	FencedLock shortLock() {
		return registry(this.client, LockOptions.DEFAULT.withLease(SHORT)).obtain("lock");
	}

	/** Deletes the key of the lock once its holder observes it. */
	void breakLock() {
		await("an observation by the holder").until(() -> this.client.observations.isActive(Key.of("lock")));
		this.other.template.delete("lock");
	}

	/** Returns whether the other process waits. */
	boolean isObserved() {
		return this.other.observations.isActive(Key.of("lock"));
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
		this.broker.close();
	}

}
