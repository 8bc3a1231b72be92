package io.statestore.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Deadlines of two clients and a server under a controlled time. */
@Timeout(30)
abstract class ControlledTimeTest {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Executor THREADS = (task) -> new Thread(task).start();

	private static final Key KEY = Key.of("key");

	protected final TestTime time = new TestTime(Instant.parse("2030-01-01T00:00:00Z"));

	private TestClient first;

	private TestClient second;

	/** Connects a client. */
	abstract TestClient connect(String clientId);

	@BeforeEach
	void connectClients() {
		this.first = connect("first");
		this.second = connect("second");
	}

	@AfterEach
	void closeClients() {
		this.first.close();
		this.second.close();
	}

	@Test
	void keyExpiresAtItsDeadline() {
		this.first.operations().set(KEY, "value", (spec) -> spec.expire(Duration.ofSeconds(30)));
		this.time.advance(Duration.ofMillis(29_999));
		assertThat(this.second.operations().get(KEY, String.class)).isPresent();
		this.time.advance(Duration.ofMillis(1));
		assertThat(this.second.operations().get(KEY, String.class)).isEmpty();
	}

	@Test
	void notifiesOfExpiryAtItsDeadline() {
		List<String> changes = new CopyOnWriteArrayList<>();
		this.second.operations().observe(KEY, String.class, (spec) -> {
		}, (change) -> changes.add(describe(change)));
		this.first.operations().set(KEY, "value", (spec) -> spec.expire(Duration.ofSeconds(30)));
		this.time.advance(Duration.ofSeconds(29));
		assertThat(changes).containsExactly("SET at 2030-01-01T00:00:00Z");
		this.time.advance(Duration.ofMinutes(5));
		assertThat(changes).containsExactly("SET at 2030-01-01T00:00:00Z", "DELETE at 2030-01-01T00:00:30Z");
	}

	private String describe(KeyChange<String> change) {
		assertThat(change.version().wallMillis()).isEqualTo(this.time.now().toEpochMilli());
		return change.operation() + " at " + this.time.now();
	}

	@Test
	void renewalsKeepLockForFiveMinutes() {
		FencedLock lock = this.first.locks(LEASE).obtain("lock");
		assertThat(lock.tryLock()).isTrue();
		for (int i = 0; i < 10; i++) {
			this.time.advance(Duration.ofSeconds(30));
			assertThat(lock.tenure().isValid()).isTrue();
		}
		assertThat(this.second.locks(LEASE).obtain("lock").tryLock()).isFalse();
		lock.unlock();
	}

	@Test
	void waiterGetsExpiredLockOfOtherProcess() {
		this.first.operations().set(Key.of("statestore:lock:lock"), "holder", (spec) -> spec.expire(LEASE).ifAbsent());
		FencedLock lock = this.second.locks(LEASE).obtain("lock");
		CompletableFuture<Boolean> acquired = call(() -> lock.tryLock(5, TimeUnit.MINUTES));
		this.time.advance(Duration.ofSeconds(29));
		assertThat(acquired).isNotDone();
		this.time.advance(Duration.ofSeconds(2));
		assertThat(acquired).isCompletedWithValue(true);
	}

	@Test
	void tryLockReturnsAfterItsWait() {
		FencedLock held = this.first.locks(LEASE).obtain("lock");
		assertThat(held.tryLock()).isTrue();
		FencedLock lock = this.second.locks(LEASE).obtain("lock");
		CompletableFuture<Boolean> acquired = call(() -> lock.tryLock(10, TimeUnit.SECONDS));
		this.time.advance(Duration.ofMillis(9_999));
		assertThat(acquired).isNotDone();
		this.time.advance(Duration.ofMillis(1));
		assertThat(acquired).isCompletedWithValue(false);
		held.unlock();
	}

	@Test
	void threadOfSameProcessStopsWaitingAtItsDeadline() {
		StateStoreLockRegistry locks = this.first.locks(LEASE);
		FencedLock held = locks.obtain("lock");
		assertThat(held.tryLock()).isTrue();
		CompletableFuture<Boolean> acquired = call(() -> held.tryLock(10, TimeUnit.SECONDS));
		this.time.advance(Duration.ofMillis(9_999));
		assertThat(acquired).isNotDone();
		this.time.advance(Duration.ofMillis(1));
		assertThat(acquired).isCompletedWithValue(false);
		held.unlock();
	}

	/** Runs code on another thread, for which the time waits. */
	private <T> CompletableFuture<T> call(Callable<T> code) {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.time.tracked(THREADS).execute(() -> {
			try {
				result.complete(code.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		return result;
	}

}
