package io.statestore.client.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.watch.TestClient;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** ShedLock providers of two processes on a store on a real socket. */
abstract class LockProviderFixture {

	/** Lease that exceeds the duration of a test. */
	static final Duration LONG = Duration.ofMinutes(5);

	static final Duration SHORT = Duration.ofMillis(300);

	final StateStoreBroker broker = StateStoreBroker.builder().start();

	final TestClient client = new TestClient(this.broker.port());

	final TestClient other = new TestClient(this.broker.port());

	final StateStoreLockRegistry registry = new StateStoreLockRegistry(this.client.template);

	final StateStoreLockProvider provider = new StateStoreLockProvider(this.registry);

	final StateStoreLockProvider elsewhere = new StateStoreLockProvider(
			new StateStoreLockRegistry(this.other.template));

	final ExecutorService threads = Executors.newCachedThreadPool();

	@BeforeEach
	void start() {
		TestClient.start(this.client, this.other);
	}

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.client.close();
		this.other.close();
		this.broker.close();
	}

	static LockConfiguration named(String name, Duration atMostFor, Duration atLeastFor) {
		return new LockConfiguration(Instant.now(), name, atMostFor, atLeastFor);
	}

	static LockConfiguration lasting(Duration atMostFor) {
		return named("task", atMostFor, Duration.ZERO);
	}

	static Optional<SimpleLock> tryLock(LockProvider provider) {
		return provider.lock(lasting(LONG));
	}

	SimpleLock lock(LockConfiguration configuration) {
		return this.provider.lock(configuration).orElseThrow();
	}

	SimpleLock lock() {
		return lock(lasting(LONG));
	}

	/** Acquires the lock for a short time, again if a slow machine misses that time. */
	SimpleLock lockBriefly() {
		List<SimpleLock> locks = new ArrayList<>();
		await("a short lock").until(() -> {
			this.provider.lock(lasting(SHORT)).ifPresent(locks::add);
			return !locks.isEmpty();
		});
		return locks.get(0);
	}

	void assertLocked() {
		assertThat(tryLock(this.provider)).isEmpty();
		assertThat(tryLock(this.elsewhere)).isEmpty();
	}

	void assertUnlocked() {
		tryLock(this.elsewhere).orElseThrow().unlock();
		lock().unlock();
	}

	void awaitUnlocked() {
		await("the end of the lock").until(() -> {
			Optional<SimpleLock> lock = tryLock(this.elsewhere);
			lock.ifPresent(SimpleLock::unlock);
			return lock.isPresent();
		});
	}

}
