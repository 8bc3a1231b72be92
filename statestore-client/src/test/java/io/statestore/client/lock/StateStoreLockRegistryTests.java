package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Locks that a registry returns, keeps, and refuses. */
@Timeout(60)
class StateStoreLockRegistryTests {

	private static final Duration LEASE = Duration.ofSeconds(7);

	private static final LockFixture locks = new LockFixture();

	private static final TestClient client = locks.client();

	private static final TestClient other = locks.client();

	/** Keeps the locks of each test apart. */
	private final LockOptions options = LockFixture.OPTIONS.withKeyPrefix(UUID.randomUUID() + "/");

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template, this.options);

	private final StateStoreLockRegistry elsewhere = new StateStoreLockRegistry(other.template, this.options);

	@AfterEach
	void stop() {
		this.registry.stop();
		this.elsewhere.stop();
	}

	@AfterAll
	static void close() throws Exception {
		locks.close();
	}

	@Test
	void collectsOnlyUnusedLocks() {
		FencedLock used = this.registry.obtain("used");
		this.registry.obtain("held").lock();
		this.registry.obtain("lost").lock();
		this.registry.obtain("lost").heldLock().lease().lose(LockLostEvent.Reason.FENCED);
		List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
		// One listener for two locks.
		Consumer<LockLostEvent> listener = losses::add;
		this.registry.obtain("listened").addLossListener(listener);
		this.registry.obtain("listened too").addLossListener(listener);
		for (int i = 0; i < 1_000; i++) {
			this.registry.obtain("unused-" + i);
		}
		for (int i = 0; i < 100; i++) {
			Consumer<LockLostEvent> removed = new Consumer<>() {

				@Override
				public void accept(LockLostEvent loss) {
				}

			};
			FencedLock lock = this.registry.obtain("removed-" + i);
			lock.addLossListener(removed);
			lock.removeLossListener(removed);
		}
		awaitCollection(5);
		assertThat(this.registry.size()).isEqualTo(5);
		assertThat(this.registry.obtain("used")).isSameAs(used);
		assertThat(this.registry.obtain("held").isHeldByCurrentThread()).isTrue();
		this.registry.obtain("held").unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.registry.obtain("lost").unlock());
		FencedLock listened = this.registry.obtain("listened");
		listened.lock();
		listened.heldLock().lease().lose(LockLostEvent.Reason.FENCED);
		await("the loss").until(() -> !losses.isEmpty());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(listened::unlock);
		// Without those that were held.
		awaitCollection(3);
	}

	private void awaitCollection(int remaining) {
		await("a collection").pollInterval(Duration.ofMillis(100)).until(() -> {
			System.gc();
			return this.registry.size() <= remaining;
		});
	}

	@Test
	void expiryKeepsReferencedLock() {
		FencedLock lock = this.registry.obtain("lock");
		this.registry.expireUnusedOlderThan(-1);
		assertThat(this.registry.obtain("lock")).isSameAs(lock);
		lock.lock();
		this.registry.renewLock("lock");
		lock.unlock();
	}

	@Test
	void sameKeyYieldsSameLock() throws Exception {
		FencedLock lock = this.registry.obtain("lock");
		FencedLock view = this.registry.obtain("lock", LEASE);
		assertThat(this.registry.obtain("lock", LEASE)).isSameAs(view);
		view.lock();
		assertThat(view.remaining()).isLessThanOrEqualTo(LEASE);
		this.registry.renewLock("lock");
		assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		assertThat(lock.token()).isEqualTo(view.token());
		view.unlock();
		assertThat(lock.isValid()).isTrue();
		lock.unlock();
		assertThat(lock.isValid()).isFalse();
	}

	@Test
	void refusesOtherKeyTypes() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(4))
			.withMessageContaining(
					"'lockKey' must be a String or a Key, but is a java.lang.Integer. Convert it to a String");
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesMissingKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(null))
			.withMessageContaining("'lockKey' must be a String or a Key, but is null");
	}

	@Test
	void refusesBadKeyPrefix() {
		for (String prefix : List.of(" ", "a\u0000", "\ud800", "x".repeat(257))) {
			assertThatIllegalArgumentException().isThrownBy(() -> LockOptions.DEFAULT.withKeyPrefix(prefix))
				.withMessageContaining("'keyPrefix' must be empty or have up to 256 printable characters");
		}
		assertThat(LockOptions.DEFAULT.withKeyPrefix("locks/").keyPrefix()).isEqualTo("locks/");
	}

	@Test
	void refusesBadStopTimeout() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LockOptions.DEFAULT.withStopTimeout(Duration.ofSeconds(-1)))
			.withMessageContaining("'stopTimeout' must be 0 to 1 h, but is PT-1S");
	}

	@Test
	void showsBinaryHolder() {
		Key key = Key.of("binary");
		client.template.set(key, new byte[] { (byte) 0xff, 1 });
		assertThat(this.registry.obtain(key).holder()).contains("0xFF01");
		client.template.set(key, new byte[0]);
		assertThat(this.registry.obtain(key).holder()).contains("");
	}

	@Test
	void executeLockedWaitsUpToTimeout() throws Exception {
		this.registry.executeLocked("lock", () -> {
			assertThatExceptionOfType(TimeoutException.class)
				.isThrownBy(() -> this.elsewhere.executeLocked("lock", Duration.ofMillis(50), () -> "never"));
			return "done";
		});
		this.registry.executeLocked("lock", Duration.ofMillis(50), () -> {
		});
		assertThat(this.registry.obtain("lock").holder()).isEmpty();
	}

	@Test
	void extremeWaitsKeepWaiting() throws Exception {
		FencedLock held = this.elsewhere.obtain("lock");
		held.lock();
		FencedLock lock = this.registry.obtain("lock");
		assertThat(lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isFalse();
		assertThat(lock.tryLock(Duration.ofSeconds(Long.MIN_VALUE), LEASE)).isFalse();
		List<CompletableFuture<Boolean>> waits = List.of(
				LockFixture.async(() -> acquire(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS), lock)),
				LockFixture.async(() -> acquire(lock.tryLock(Long.MAX_VALUE - 1, TimeUnit.NANOSECONDS), lock)),
				LockFixture.async(() -> acquire(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), LEASE), lock)));
		await("a watch").until(() -> client.watches.isActive(lock.key()));
		assertThat(waits).noneMatch(CompletableFuture::isDone);
		held.unlock();
		for (CompletableFuture<Boolean> wait : waits) {
			assertThat(wait.get(20, TimeUnit.SECONDS)).isTrue();
		}
	}

	private static boolean acquire(boolean acquired, FencedLock lock) {
		if (acquired) {
			lock.unlock();
		}
		return acquired;
	}

	@Test
	void tryLockWaitsOneSecondForStore() {
		List<Duration> timeouts = new CopyOnWriteArrayList<>();
		CommandInvoker silent = (command, options) -> {
			timeouts.add(options.timeout());
			return CompletableFuture.failedFuture(new StateStoreOutcomeUnknownException("no reply"));
		};
		FencedLock lock = new StateStoreLockRegistry(new StateStoreTemplate(silent)).obtain("lock");
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class).isThrownBy(lock::tryLock);
		assertThat(timeouts).first().isEqualTo(Duration.ofSeconds(1));
	}

}
