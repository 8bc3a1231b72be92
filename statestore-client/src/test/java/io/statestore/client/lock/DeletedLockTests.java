package io.statestore.client.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.watch.TestClient;
import io.statestore.test.FaultProxy;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Locks whose key is deleted while they are held, with another tenure in between. */
@Timeout(60)
class DeletedLockTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final FaultProxy network = new FaultProxy(this.broker.port());

	private final TestClient client = new TestClient(this.network.port());

	private final TestClient other = new TestClient(this.broker.port());

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(this.client.template,
			LockOptions.DEFAULT.withLease(LEASE));

	private final StateStoreLockRegistry elsewhere = new StateStoreLockRegistry(this.other.template,
			LockOptions.DEFAULT.withLease(LEASE));

	private final FencedLock lock = this.registry.obtain("lock");

	private final List<LockLostEvent> losses = new CopyOnWriteArrayList<>();

	@BeforeEach
	void connect() {
		TestClient.start(this.client, this.other);
	}

	@AfterEach
	void close() {
		this.registry.stop();
		this.elsewhere.stop();
		this.client.close();
		this.other.close();
		this.network.close();
		this.broker.close();
	}

	/** Deletes the key, and acquires and releases the lock elsewhere. */
	private void deleteAndHoldElsewhere() {
		this.other.template.delete("lock");
		FencedLock lock = this.elsewhere.obtain("lock");
		// Waits, because a renewal that crosses the deletion creates the key again.
		await("the lock").until(lock::tryLock);
		lock.operations().set("data", "later");
		lock.unlock();
	}

	private void awaitWatch() {
		await("the watch").until(() -> this.client.watches.isActive(Key.of("lock")));
	}

	/**
	 * Waits until a renewal was confirmed and the next one is not due soon. The first
	 * renewal is in flight as soon as the watch is active. A connection lost at that
	 * moment makes the lock uncertain.
	 */
	private void awaitConfirmedRenewal() {
		awaitWatch();
		await("a confirmed renewal")
			.until(() -> this.lock.remaining().compareTo(LEASE.multipliedBy(9).dividedBy(10)) > 0);
	}

	private void awaitLoss(Reason... reasons) {
		await("the loss").atMost(LEASE).until(() -> !this.losses.isEmpty());
		assertThat(this.losses).extracting(LockLostEvent::reason).hasSize(1).isSubsetOf(reasons);
		assertThat(this.lock.isValid()).isFalse();
		assertThat(this.other.template.get("lock", String.class)).isEmpty();
	}

	@Test
	void firstRenewalFindsDeletion() {
		this.lock.addLossListener(this.losses::add);
		this.lock.lock();
		deleteAndHoldElsewhere();
		// On a slow machine the renewal may find the other tenure.
		awaitLoss(Reason.DELETED, Reason.TAKEN);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
	}

	@Tag("long")
	@Test
	void reconnectFindsDeletion() {
		this.lock.addLossListener(this.losses::add);
		this.lock.lock();
		awaitConfirmedRenewal();
		this.network.block();
		deleteAndHoldElsewhere();
		// A renewal is due before the connection is back.
		await("a due renewal")
			.until(() -> this.lock.remaining().compareTo(LEASE.dividedBy(2)) < 0 || !this.lock.isValid());
		this.network.unblock();
		awaitLoss(Reason.DELETED);
	}

	@Tag("long")
	@Test
	void reconnectKeepsUnchangedLock() {
		this.lock.addLossListener(this.losses::add);
		this.lock.lock();
		awaitConfirmedRenewal();
		this.network.block();
		await("a due renewal").until(() -> this.lock.remaining().compareTo(LEASE.dividedBy(2)) < 0);
		this.network.unblock();
		await("a renewal").until(() -> !this.losses.isEmpty()
				|| this.lock.remaining().compareTo(LEASE.multipliedBy(2).dividedBy(3)) > 0);
		assertThat(this.losses).isEmpty();
		this.lock.unlock();
	}

	@Test
	void requestedRenewalFindsDeletion() {
		this.lock.lock();
		deleteAndHoldElsewhere();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.registry.renewLock("lock", LEASE));
		assertThat(this.other.template.get("lock", String.class)).isEmpty();
	}

	@Test
	void shedLockExtensionFindsDeletion() {
		SimpleLock task = new StateStoreLockProvider(this.registry).lock(task(LEASE.multipliedBy(5), Duration.ZERO))
			.orElseThrow();
		deleteAndHoldElsewhere();
		assertThat(task.extend(LEASE, Duration.ZERO)).isEmpty();
		assertThat(this.other.template.get("lock", String.class)).isEmpty();
	}

	@Tag("long")
	@Test
	void shedLockKeepsKeyUntilItsExpiry() {
		Duration atMostFor = Duration.ofSeconds(4);
		new StateStoreLockProvider(this.registry).lock(task(atMostFor, atMostFor)).orElseThrow();
		// By the clock of the store, because the reply to the lock may have taken long.
		long lockedAt = this.other.template.get("lock", String.class).orElseThrow().version().wallMillis();
		await("the end of the lock").until(() -> this.other.template.get("lock", String.class).isEmpty());
		long freeAt = this.other.template.set("free", true).version().wallMillis();
		// Not 40 ms earlier, when the holder considers it lost.
		assertThat(Duration.ofMillis(freeAt - lockedAt)).isGreaterThan(atMostFor.minusMillis(20));
	}

	private static LockConfiguration task(Duration atMostFor, Duration atLeastFor) {
		return new LockConfiguration(Instant.now(), "lock", atMostFor, atLeastFor);
	}

	@Test
	void reconnectRevokesLeader() throws Exception {
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch revoked = new CountDownLatch(1);
		DefaultCandidate candidate = new DefaultCandidate("candidate", "role") {

			@Override
			public void onGranted(Context context) {
				granted.countDown();
			}

			@Override
			public void onRevoked(Context context) {
				revoked.countDown();
			}

		};
		StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(this.lock, candidate);
		initiator.start();
		try {
			granted.await();
			awaitWatch();
			this.network.block();
			deleteAndHoldElsewhere();
			this.network.unblock();
			assertThat(revoked.await(LEASE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		}
		finally {
			initiator.stop();
		}
	}

	@Test
	void refusesWritesToLockKeys() {
		this.lock.lock();
		for (Key key : List.of(this.lock.key(), RequestedLock.successor(this.lock.key()))) {
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> this.lock.operations().set(key, "value"))
				.withMessageContaining("Key '" + key + "' must not be written under lock 'lock'");
		}
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.lock.operations().delete("lock"));
		assertThat(this.lock.isValid()).isTrue();
		this.lock.unlock();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

	@Test
	void writeUnderTwoLocksFailsWithoutLoss() {
		FencedLock inner = this.elsewhere.obtain("inner");
		this.lock.lock();
		inner.lock();
		inner.operations().set("data", "inner");
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.lock.operations().set("data", "outer"))
			.withMessageContaining("which is still held");
		assertThat(this.lock.isValid()).isTrue();
		inner.unlock();
		this.lock.unlock();
		assertThat(this.other.template.get("data", String.class).map(Entry::value)).contains("inner");
	}

	@Test
	void staleWriteAfterDeletionLosesLock() {
		this.lock.lock();
		deleteAndHoldElsewhere();
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.lock.operations().set("data", "stale"));
		assertThat(this.lock.isValid()).isFalse();
	}

}
