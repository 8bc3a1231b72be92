package io.statestore.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockLostException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Deadlines of two clients and a broker under a controlled time, over TCP. */
@Timeout(30)
@TestInstance(Lifecycle.PER_CLASS)
class TimeOverMqttTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Executor THREADS = (task) -> new Thread(task).start();

	private final TestTime time = new TestTime(Instant.parse("2030-01-01T00:00:00Z"));

	private final StateStoreBroker broker = StateStoreBroker.builder().time(this.time).start();

	private final AtomicInteger tests = new AtomicInteger();

	private Key key = Key.of("key");

	private MqttClient first;

	private MqttClient second;

	private MqttClient connect(String clientId) {
		return new MqttClient(this.broker.port(), this.time, clientId);
	}

	@BeforeAll
	void connectClients() {
		this.first = connect("first");
		this.second = connect("second");
	}

	@AfterAll
	void closeClients() {
		this.first.close();
		this.second.close();
		this.broker.close();
	}

	@BeforeEach
	void useNewKey() {
		this.key = Key.of("key-" + this.tests.incrementAndGet());
	}

	private FencedLock lock(MqttClient client) {
		return client.locks(LEASE).obtain(this.key);
	}

	@Test
	void keyExpiresAtItsDeadline() {
		this.first.operations().set(this.key, "value", (spec) -> spec.expire(Duration.ofSeconds(30)));
		this.time.advance(Duration.ofMillis(29_999));
		assertThat(this.second.operations().get(this.key, String.class)).isPresent();
		this.time.advance(Duration.ofMillis(1));
		assertThat(this.second.operations().get(this.key, String.class)).isEmpty();
	}

	@Test
	void notifiesOfExpiryAtItsDeadline() {
		Instant start = this.time.now();
		List<String> changes = new CopyOnWriteArrayList<>();
		this.second.operations().watch(this.key, String.class, (change) -> changes.add(describe(change, start)));
		this.first.operations().set(this.key, "value", (spec) -> spec.expire(Duration.ofSeconds(30)));
		this.time.advance(Duration.ofSeconds(29));
		assertThat(changes).containsExactly("SET after PT0S");
		this.time.advance(Duration.ofMinutes(5));
		assertThat(changes).containsExactly("SET after PT0S", "DELETE after PT30S");
	}

	private String describe(KeyChange<String> change, Instant start) {
		assertThat(change.version().wallMillis()).isEqualTo(this.time.now().toEpochMilli());
		return change.operation() + " after " + Duration.between(start, this.time.now());
	}

	@Test
	void renewalsKeepLockForFiveMinutes() {
		FencedLock lock = lock(this.first);
		assertThat(lock.tryLock()).isTrue();
		for (int i = 0; i < 10; i++) {
			this.time.advance(Duration.ofSeconds(30));
			assertThat(lock.heldLock().isValid()).isTrue();
		}
		assertThat(lock(this.second).tryLock()).isFalse();
		lock.unlock();
	}

	@Test
	void lockDeletionIsReportedBeforeAdvanceReturns() {
		List<LockLostEvent.Reason> losses = new CopyOnWriteArrayList<>();
		FencedLock lock = lock(this.first);
		assertThat(lock.tryLock()).isTrue();
		lock.heldLock().onLost((loss) -> losses.add(loss.reason()));
		lock.heldLock().watch();
		this.time.advance(Duration.ZERO);
		this.second.operations().delete(this.key);
		this.time.advance(Duration.ZERO);
		assertThat(losses).containsExactly(LockLostEvent.Reason.DELETED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

	@Test
	void waiterGetsLockWhenItExpires() {
		this.first.operations().set(this.key, "holder", (spec) -> spec.expire(LEASE));
		FencedLock lock = lock(this.second);
		CompletableFuture<Boolean> acquired = call(() -> lock.tryLock(5, TimeUnit.MINUTES));
		this.time.advance(Duration.ofSeconds(29));
		assertThat(acquired).isNotDone();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(acquired).isCompletedWithValue(true);
	}

	@Test
	void waitForLockInOtherProcessEndsAtDeadline() {
		FencedLock held = lock(this.first);
		assertThat(held.tryLock()).isTrue();
		assertThatWaitEndsAfterTenSeconds(lock(this.second));
		held.unlock();
	}

	@Test
	void waitForLockInOtherThreadEndsAtDeadline() {
		FencedLock held = lock(this.first);
		assertThat(held.tryLock()).isTrue();
		assertThatWaitEndsAfterTenSeconds(held);
		held.unlock();
	}

	private void assertThatWaitEndsAfterTenSeconds(FencedLock lock) {
		CompletableFuture<Boolean> acquired = call(() -> lock.tryLock(10, TimeUnit.SECONDS));
		this.time.advance(Duration.ofMillis(9_999));
		assertThat(acquired).isNotDone();
		this.time.advance(Duration.ofMillis(1));
		assertThat(acquired).isCompletedWithValue(false);
	}

	@Test
	void otherProcessLeadsAfterLeaseOfLostLeader() {
		MqttClient process = connect("leader");
		StateStoreLeaderInitiator leader = candidate(process);
		this.time.advance(Duration.ZERO);
		assertThat(leader.isLeader()).isTrue();
		StateStoreLeaderInitiator follower = candidate(this.second);
		this.time.advance(Duration.ofMinutes(1));
		assertThat(follower.isLeader()).isFalse();
		// Without a release, as if the process had ended.
		process.close();
		this.time.advance(Duration.ofSeconds(15));
		assertThat(follower.isLeader()).isFalse();
		this.time.advance(Duration.ofSeconds(15));
		assertThat(leader.isLeader()).isFalse();
		assertThat(follower.isLeader()).isTrue();
		follower.stop();
		leader.stop();
	}

	@Test
	void timePassesWhileLeaderBlocksAfterCall() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		StateStoreLeaderInitiator leader = candidate(this.first, new AbstractCandidate("id", "role") {

			@Override
			public void onGranted(Context context) throws InterruptedException {
				TimeOverMqttTests.this.first.operations().exists("key");
				called.countDown();
				new CountDownLatch(1).await();
			}

			@Override
			public void onRevoked(Context context) {
			}

		});
		this.time.advance(Duration.ZERO);
		assertThat(called.await(10, TimeUnit.SECONDS)).isTrue();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(leader.isLeader()).isTrue();
		leader.stop();
	}

	private StateStoreLeaderInitiator candidate(MqttClient client) {
		return candidate(client, new DefaultCandidate("id", "role"));
	}

	private StateStoreLeaderInitiator candidate(MqttClient client, Candidate candidate) {
		StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(lock(client), candidate, this.time);
		initiator.start();
		return initiator;
	}

	@Tag("long")
	@RepeatedTest(20)
	void outcomeIsSameInEveryRun() {
		renewalsKeepLockForFiveMinutes();
		this.key = Key.of(this.key + "-expiry");
		notifiesOfExpiryAtItsDeadline();
		this.key = Key.of(this.key + "-wait");
		waiterGetsLockWhenItExpires();
	}

	/** Runs code on another thread. The time waits for its steps. */
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
