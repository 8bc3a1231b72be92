package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.watch.TestClient;
import io.statestore.protocol.Version;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Renewal and loss of locks on a store on a real socket. */
@Timeout(120)
class FencedLockLeaseTests extends FencedLockFixture {

	@Test
	void renewsLeaseWhileHeld() {
		FencedLock lock = shortLock();
		lock.lock();
		FencingToken token = lock.token();
		Version version = this.other.template.get("lock", String.class).orElseThrow().version();
		await("a renewal after the first lease").pollInterval(Duration.ofMillis(50)).until(() -> {
			assertThat(lock.isValid()).isTrue();
			return this.other.template.get("lock", String.class).orElseThrow().version().wallMillis()
					- version.wallMillis() > SHORT.toMillis();
		});
		assertThat(lock.token()).isEqualTo(token);
		assertThat(this.elsewhere.tryLock()).isFalse();
		lock.unlock();
	}

	@Test
	void notifiesHolderOnLoss() throws Exception {
		FencedLock lock = shortLock();
		List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
		lock.addLossListener((loss) -> {
			throw new IllegalStateException("expected");
		});
		lock.addLossListener(losses::add);
		lock.lock();
		HeldLock held = lock.heldLock();
		CountDownLatch notified = new CountDownLatch(1);
		held.onLost((loss) -> notified.countDown());
		StateStoreOperations operations = lock.operations();
		operations.set("protected", "1");
		breakLock();
		assertThat(notified.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(lock.isValid()).isFalse();
		await("the listener").until(() -> !losses.isEmpty());
		assertThat(losses).singleElement().satisfies((loss) -> {
			assertThat(loss.key()).isEqualTo(lock.key());
			assertThat(loss.token()).isEqualTo(held.token());
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> operations.set("protected", "2"));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> held.update("protected", String.class, (value) -> Optional.of("2")));
		assertThat(this.other.template.get("protected", String.class).orElseThrow().value()).isEqualTo("1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock).withMessageContaining("was lost");
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		AtomicBoolean late = new AtomicBoolean();
		held.onLost((loss) -> late.set(true));
		await("a late listener").until(late::get);
		lock.lock();
		assertThat(lock.token()).isGreaterThan(held.token());
		lock.unlock();
	}

	@Test
	void refusesStaleWriterAfterLockIsLost() throws Exception {
		this.lock.lock();
		StateStoreOperations stale = this.lock.operations();
		stale.set("protected", "mine");
		// The holder has not detected the deletion yet.
		this.other.template.delete("lock");
		this.elsewhere.lock();
		this.elsewhere.operations().set("protected", "theirs");
		assertThat(this.lock.isValid()).isTrue();
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> stale.set("protected", "mine again"));
		assertThat(this.lock.isValid()).isFalse();
		assertThat(this.lock.heldLock().loss()).map(LockLostEvent::reason).contains(Reason.FENCED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> stale.delete("protected"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThat(this.client.template.get("protected", String.class).orElseThrow().value()).isEqualTo("theirs");
		assertThat(this.elsewhere.isValid()).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void interruptsHolderIfConfigured() {
		FencedLock lock = registry(this.client, LockOptions.DEFAULT.withLease(SHORT).withInterruptHolder(true))
			.obtain("lock");
		lock.lock();
		await("a watch").until(() -> this.client.watches.isActive(lock.key()));
		// The interrupt may come before the reply.
		this.other.template.async().delete(Key.of("lock"));
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new CountDownLatch(1).await());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

	@Test
	void expiresWhileStoreIsUnavailable() {
		FaultProxy network = new FaultProxy(broker.port());
		this.closeables.add(network);
		TestClient far = new TestClient(network.port()).start().withKeyPrefix(this.prefix);
		this.closeables.add(far);
		FencedLock lock = registry(far, LockOptions.DEFAULT.withLease(Duration.ofMillis(300))).obtain("lock");
		List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
		lock.addLossListener(losses::add);
		lock.lock();
		network.block();
		await("the loss").until(() -> !losses.isEmpty());
		assertThat(losses).singleElement().extracting(LockLostEvent::reason).isEqualTo(Reason.EXPIRED);
		assertThat(lock.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(StateStoreNotSentException.class).isThrownBy(lock::tryLock);
	}

	@Test
	void renewsOnRequest() throws Exception {
		this.lock.lock(Duration.ofSeconds(2));
		this.registry.renewLock("lock", LONG);
		assertThat(this.lock.remaining()).isGreaterThan(Duration.ofSeconds(30));
		this.registry.renewLock("lock");
		assertThat(this.lock.remaining()).isGreaterThan(Duration.ofSeconds(30));
		this.registry.renewLock("lock", Duration.ofSeconds(5));
		assertThat(this.lock.remaining()).isLessThan(Duration.ofSeconds(6));
		LockFixture
			.async(() -> assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> this.registry.renewLock("lock")))
			.get();
		this.other.template.delete("lock");
		this.other.template.set("lock", "other holder");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.registry.renewLock("lock"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
	}

}
