package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;

import io.statestore.client.StateStoreException;
import io.statestore.client.watch.TestClient;
import io.statestore.test.FaultProxy;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Lease and extension of ShedLock locks, on a store on a real socket. */
@Tag("long")
@Timeout(120)
class LockProviderLeaseTests extends LockProviderFixture {

	@Test
	void lockEndsAfterLockAtMostFor() {
		long start = System.nanoTime();
		lockBriefly();
		awaitUnlocked();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(SHORT.multipliedBy(9).dividedBy(10));
	}

	@Test
	void lockOfDeadProcessEndsAfterLockAtMostFor() {
		lockBriefly();
		this.client.close();
		awaitUnlocked();
	}

	@Test
	void lockAtLeastForKeepsUnlockedLock() {
		SimpleLock lock = lock(named("task", LONG, LONG));
		lock.unlock();
		assertLocked();
		// The lock does not depend on this process.
		this.registry.stop();
		assertThat(tryLock(this.elsewhere)).isEmpty();
	}

	@Test
	void lockEndsAfterLockAtLeastFor() {
		long start = System.nanoTime();
		SimpleLock lock = lock(named("task", LONG, SHORT));
		lock.unlock();
		awaitUnlocked();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(SHORT.multipliedBy(9).dividedBy(10));
	}

	@Test
	void lockEndsAfterLockAtLeastForDespiteSlowNetwork() {
		try (FaultProxy network = new FaultProxy(this.broker.port());
				TestClient far = new TestClient(network.port()).start()) {
			SimpleLock lock = new StateStoreLockProvider(new StateStoreLockRegistry(far.template))
				.lock(named("task", LONG, Duration.ofMillis(900)))
				.orElseThrow();
			network.delay(Duration.ofMillis(100));
			lock.unlock();
			awaitUnlocked();
		}
	}

	@Test
	void unlockAfterLockAtLeastForReleasesImmediately() {
		long start = System.nanoTime();
		SimpleLock lock = lock(named("task", LONG, Duration.ofMillis(20)));
		await("lockAtLeastFor").until(() -> System.nanoTime() - start > 50_000_000L);
		lock.unlock();
		assertUnlocked();
	}

	@Test
	void extensionProlongsLease() {
		Duration atMostFor = Duration.ofSeconds(5);
		SimpleLock lock = lock(lasting(atMostFor));
		long locked = System.nanoTime();
		SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
		await("the end of the first lease")
			.until(() -> System.nanoTime() - locked > atMostFor.plusSeconds(1).toNanos());
		assertLocked();
		extended.unlock();
		assertUnlocked();
	}

	@Test
	void extensionShortensLease() {
		SimpleLock lock = lock();
		try {
			lock.extend(Duration.ofSeconds(1), Duration.ZERO);
		}
		catch (StateStoreException ex) {
			// No reply within a sixth of the lease. The lock still ends as extended.
		}
		awaitUnlocked();
	}

	@Test
	void extensionHasItsOwnLockAtLeastFor() {
		lock().extend(LONG, LONG).orElseThrow().unlock();
		assertLocked();
	}

	@Test
	void refusesExtensionAfterEnd() {
		SimpleLock lock = lockBriefly();
		awaitUnlocked();
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		assertUnlocked();
	}

	@Test
	void refusesUseAfterUnlock() {
		SimpleLock lock = lock();
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertUnlocked();
	}

	@Test
	void refusesUseAfterExtension() {
		SimpleLock lock = lock();
		SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertLocked();
		extended.extend(LONG, Duration.ZERO).orElseThrow().unlock();
		assertUnlocked();
	}

	@Test
	void leavesLockOfNextHolderUntouched() {
		for (LockProvider next : List.of(this.provider, this.elsewhere)) {
			SimpleLock unlocking = lockBriefly();
			awaitUnlocked();
			SimpleLock extending = lockBriefly();
			awaitUnlocked();
			SimpleLock theirs = tryLock(next).orElseThrow();
			unlocking.unlock();
			assertThat(extending.extend(LONG, Duration.ZERO)).isEmpty();
			assertLocked();
			theirs.unlock();
			assertUnlocked();
		}
	}

	@Test
	void extensionDetectsTakenLock() {
		SimpleLock lock = lock();
		this.other.template.delete("task");
		SimpleLock theirs = tryLock(this.elsewhere).orElseThrow();
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		assertLocked();
		theirs.unlock();
	}

}
