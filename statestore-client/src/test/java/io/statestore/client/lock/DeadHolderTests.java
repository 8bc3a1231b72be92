package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Locks whose holder thread ends without unlocking. */
@Timeout(60)
class DeadHolderTests {

	private static final LockFixture locks = new LockFixture();

	private static final TestClient client = locks.client();

	private static final TestClient other = locks.client();

	/** Keeps the locks of each test apart. */
	private final String prefix = UUID.randomUUID() + "/";

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(
			client.template.withKeyPrefix(this.prefix), LockFixture.OPTIONS.withLease(Duration.ofSeconds(1)));

	private final FencedLock lock = this.registry.obtain("lock");

	private final StateStoreTemplate template = other.template.withKeyPrefix(this.prefix);

	private final FencedLock elsewhere = new StateStoreLockRegistry(this.template, LockFixture.OPTIONS).obtain("lock");

	private final List<LockLostEvent> losses = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.registry.stop();
	}

	@AfterAll
	static void close() throws Exception {
		locks.close();
	}

	private void lockAndDie() throws Exception {
		this.lock.addLossListener(this.losses::add);
		Thread holder = new Thread(this.lock::lock);
		holder.start();
		holder.join();
	}

	private void assertAbandoned() {
		await("the loss").until(() -> !this.losses.isEmpty());
		assertThat(this.losses).singleElement().extracting(LockLostEvent::reason).isEqualTo(Reason.ABANDONED);
	}

	@Test
	void releasesLockOfDeadThreadToOtherProcesses() throws Exception {
		lockAndDie();
		assertThat(this.elsewhere.tryLock(20, TimeUnit.SECONDS)).isTrue();
		assertAbandoned();
		assertThat(this.lock.isValid()).isFalse();
		this.elsewhere.unlock();
	}

	@Test
	void lockOfDeadThreadIsCollected() throws Exception {
		Thread holder = new Thread(() -> this.registry.obtain("abandoned").lock());
		holder.start();
		holder.join();
		await("a collection").pollInterval(Duration.ofMillis(100)).until(() -> {
			System.gc();
			return this.registry.size() == 1;
		});
	}

	@Test
	void deletedLockOfDeadThreadIsCollected() throws Exception {
		Thread holder = new Thread(() -> {
			FencedLock lock = this.registry.obtain("abandoned");
			lock.lock();
			lock.heldLock().watch();
		});
		holder.start();
		holder.join();
		await("a collection").pollInterval(Duration.ofMillis(100)).until(() -> {
			this.template.delete("abandoned");
			System.gc();
			return this.registry.size() == 1;
		});
	}

	@Test
	void lockLostBeforeHolderDiesIsCollected() throws Exception {
		Thread holder = new Thread(() -> {
			FencedLock lock = this.registry.obtain("abandoned");
			lock.lock();
			HeldLock held = lock.heldLock();
			held.watch();
			await("the loss").until(() -> {
				this.template.delete("abandoned");
				return !held.isValid();
			});
		});
		holder.start();
		holder.join();
		await("a collection").pollInterval(Duration.ofMillis(100)).until(() -> {
			System.gc();
			return this.registry.size() == 1;
		});
	}

	@Test
	void anotherThreadTakesOverLocally() throws Exception {
		lockAndDie();
		assertThat(this.lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
		assertAbandoned();
		assertThat(this.lock.isValid()).isTrue();
		this.lock.unlock();
	}

	@Test
	void localWaiterIsServedWhenHolderDies() throws Exception {
		Thread holder = new Thread(() -> {
			this.lock.lock();
			CompletableFuture<Void> waiting = LockFixture.async(() -> null);
			waiting.join();
		});
		this.lock.addLossListener(this.losses::add);
		holder.start();
		CompletableFuture<Boolean> waiter = LockFixture.async(() -> {
			this.lock.lock();
			this.lock.unlock();
			return true;
		});
		holder.join();
		assertThat(waiter).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

}
