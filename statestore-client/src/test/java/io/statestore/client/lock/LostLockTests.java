package io.statestore.client.lock;

import java.time.Duration;
import java.util.UUID;

import io.statestore.client.watch.TestClient;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Calls of a thread that has lost its lock. */
@Timeout(60)
class LostLockTests {

	private static final LockFixture locks = new LockFixture();

	private static final TestClient client = locks.client();

	private static final TestClient operator = locks.client();

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template,
			LockFixture.OPTIONS.withKeyPrefix(UUID.randomUUID() + "/"));

	private final FencedLock lock = this.registry.obtain("lock");

	@BeforeEach
	void hold() {
		this.lock.lock();
		this.lock.tenure().watch();
		await("a watch").until(() -> client.watches.isActive(this.lock.key()));
	}

	@AfterEach
	void stop() {
		this.registry.stop();
	}

	@AfterAll
	static void close() throws Exception {
		locks.close();
	}

	private void lose() {
		operator.template.delete(this.lock.key());
		await("the loss").until(() -> !this.lock.isValid());
	}

	private void assertUnlockThrows() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
	}

	private boolean isFreeForOtherThreads() throws Exception {
		return LockFixture.async(() -> {
			boolean acquired = this.lock.tryLock();
			if (acquired) {
				this.lock.unlock();
			}
			return acquired;
		}).get();
	}

	@Test
	void nestedTryLockKeepsOuterHold() throws Exception {
		lose();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::tryLock);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.lock.tryLock(Duration.ofSeconds(20), Duration.ofSeconds(1)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lockInterruptibly);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThat(isFreeForOtherThreads()).isFalse();
		assertUnlockThrows();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(isFreeForOtherThreads()).isTrue();
	}

	@Test
	void everyUnlockAfterLossThrows() throws Exception {
		this.lock.lock();
		this.lock.lock();
		lose();
		for (int i = 0; i < 3; i++) {
			assertThat(this.lock.isHeldByCurrentThread()).isTrue();
			assertThat(isFreeForOtherThreads()).isFalse();
			assertUnlockThrows();
		}
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void nestedExecuteThrowsWhenLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.lock.execute((tenure) -> {
			lose();
			return "done";
		}));
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertUnlockThrows();
	}

	@Test
	void executeSuppressesLossWhenTaskThrows() {
		assertLossIsSuppressed(() -> this.lock.execute((tenure) -> loseAndFail()));
	}

	@Test
	void executeLockedSuppressesLossWhenTaskThrows() {
		assertLossIsSuppressed(() -> this.registry.executeLocked("lock", this::loseAndFail));
	}

	private String loseAndFail() {
		lose();
		throw new IllegalStateException("of the task");
	}

	private void assertLossIsSuppressed(ThrowingCallable task) {
		assertThatIllegalStateException().isThrownBy(task)
			.withMessage("of the task")
			.satisfies(
					(ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1));
		assertUnlockThrows();
	}

}
