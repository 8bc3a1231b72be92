package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import static org.awaitility.Awaitility.await;

/**
 * Two processes that use the same lock of a store on a real socket. The tests of a class
 * share the store.
 */
abstract class FencedLockFixture {

	static final Duration LONG = Duration.ofSeconds(60);

	/** Lease that is renewed soon, but outlives the pauses of a busy machine. */
	static final Duration SHORT = Duration.ofSeconds(2);

	private static final AtomicInteger tests = new AtomicInteger();

	private static final TestClient[] clients = new TestClient[2];

	static StateStoreBroker broker;

	/** Keeps the keys of each test apart. */
	final String prefix = "test" + tests.incrementAndGet() + '/';

	final TestClient client = clients[0].withKeyPrefix(this.prefix);

	final TestClient other = clients[1].withKeyPrefix(this.prefix);

	final List<AutoCloseable> closeables = new ArrayList<>();

	final StateStoreLockRegistry registry = registry(this.client, LockOptions.DEFAULT);

	final FencedLock lock = this.registry.obtain("lock");

	final FencedLock elsewhere = registry(this.other, LockOptions.DEFAULT).obtain("lock");

	@BeforeAll
	static void connect() {
		broker = StateStoreBroker.builder().start();
		Arrays.setAll(clients, (i) -> new TestClient(broker.port()));
		TestClient.start(clients);
	}

	@AfterAll
	static void disconnect() {
		for (TestClient client : clients) {
			client.close();
		}
		broker.close();
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

	/** Deletes the key of the lock once its holder watches it. */
	void breakLock() {
		await("a watch by the holder").until(() -> this.client.watches.isActive(this.lock.key()));
		this.other.template.delete("lock");
	}

	/** Returns whether the other process waits. */
	boolean isWatched() {
		return this.other.watches.isActive(this.lock.key());
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
	}

}
