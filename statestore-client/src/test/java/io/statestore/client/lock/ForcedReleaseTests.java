package io.statestore.client.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.lock.LockLostEvent.Reason;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/** Locks that an operator frees, and the view of an operator on held locks. */
@Timeout(60)
class ForcedReleaseTests extends FencedLockFixture {

	private final StateStoreLockRegistry operator = registry(this.other, LockOptions.DEFAULT);

	private final List<LockLostEvent> losses = new CopyOnWriteArrayList<>();

	@Test
	void describesHeldLocks() {
		assertThat(this.registry.heldLocks()).isEmpty();
		this.lock.lock();
		HeldLock status = this.registry.heldLocks().get(0);
		assertThat(this.registry.heldLocks()).hasSize(1);
		assertThat(status.key()).isEqualTo(this.lock.key());
		assertThat(status.holder()).isEqualTo(this.lock.holder().orElseThrow());
		assertThat(status.token()).isEqualTo(this.lock.heldLock().token());
		assertThat(status.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		this.lock.unlock();
		assertThat(this.registry.heldLocks()).isEmpty();
	}

	@Test
	void describesTaskLocks() {
		new StateStoreLockProvider(this.registry)
			.lock(new LockConfiguration(Instant.now(), "task", LONG, Duration.ZERO))
			.orElseThrow();
		assertThat(this.registry.heldLocks()).extracting(HeldLock::key).containsExactly(Key.of(this.prefix + "task"));
	}

	@Test
	void notifiesLocalHolderAndLetsWaiterContinue() throws Exception {
		this.lock.addLossListener(this.losses::add);
		this.lock.lock();
		FencingToken stale = this.lock.heldLock().token();
		String holder = this.lock.holder().orElseThrow();
		CompletableFuture<FencingToken> waiter = LockFixture.async(() -> {
			this.elsewhere.lock();
			this.elsewhere.operations().set("data", "new");
			return this.elsewhere.heldLock().token();
		});
		await("the waiter").until(this::isWatched);
		assertThat(this.registry.forceRelease("lock")).contains(holder);
		assertThat(this.lock.isValid()).isFalse();
		assertThat(waiter.get()).isGreaterThan(stale);
		await("the loss").until(() -> !this.losses.isEmpty());
		assertThat(this.losses).extracting(LockLostEvent::reason, LockLostEvent::token)
			.containsExactly(tuple(Reason.FORCED, stale));
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.client.template.fencedBy(stale).set("data", "old"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("an operator forced it free");
		assertThat(this.elsewhere.holder()).isNotEmpty();
	}

	@Test
	void holderElsewhereIsNotifiedThroughWatch() {
		this.lock.addLossListener(this.losses::add);
		this.lock.lock();
		this.lock.heldLock().watch();
		await("the watch").until(() -> this.client.watches.isActive(this.lock.key()));
		String holder = this.lock.holder().orElseThrow();
		assertThat(this.operator.forceRelease("lock")).contains(holder);
		await("the loss").until(() -> !this.losses.isEmpty());
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.DELETED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void keepsDataThatIsNotLock() {
		this.client.template.set("lock", "data");
		assertThat(this.operator.forceRelease("lock")).isEmpty();
		assertThat(this.client.template.get("lock", String.class)).isNotEmpty();
	}

	@Test
	void findsNoHolderForFreeLock() {
		assertThat(this.operator.forceRelease("lock")).isEmpty();
	}

}
