package io.statestore.client.leader;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/** Elections among initiators of processes that share a store. */
@Timeout(90)
class StateStoreLeaderInitiatorTests {

	/** Lease that exceeds the duration of a test. */
	private static final LockOptions LONG = LockOptions.DEFAULT.withLease(Duration.ofMinutes(10));

	private static final String KEY = RecordingCandidate.ROLE;

	private static final StateStoreBroker broker = StateStoreBroker.builder().start();

	private static final TestClient client = new TestClient(broker.port());

	private static final TestClient other = new TestClient(broker.port());

	private final List<StateStoreLeaderInitiator> initiators = new ArrayList<>();

	/** Keeps the keys of each test apart. */
	private final String prefix = UUID.randomUUID() + "/";

	private final StateStoreTemplate template = other.template.withKeyPrefix(this.prefix);

	private final RecordingCandidate candidate = new RecordingCandidate();

	private final RecordingCandidate rival = new RecordingCandidate();

	@BeforeAll
	static void connect() {
		TestClient.start(client, other);
	}

	@AfterEach
	void stop() {
		this.initiators.forEach(StateStoreLeaderInitiator::destroy);
	}

	@AfterAll
	static void close() {
		client.close();
		other.close();
		broker.close();
	}

	private StateStoreLockRegistry registry(TestClient client, LockOptions options) {
		return new StateStoreLockRegistry(client.template.withKeyPrefix(this.prefix), options);
	}

	private StateStoreLeaderInitiator initiator(TestClient client, LockOptions options, Candidate candidate) {
		StateStoreLockRegistry registry = registry(client, options);
		StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(registry.obtain(KEY), candidate);
		this.initiators.add(initiator);
		return initiator;
	}

	private StateStoreLeaderInitiator leader(RecordingCandidate candidate) {
		return leader(LONG, candidate);
	}

	private StateStoreLeaderInitiator leader(LockOptions options, RecordingCandidate candidate) {
		StateStoreLeaderInitiator leader = initiator(client, options, candidate);
		leader.setApplicationEventPublisher(candidate.events());
		leader.start();
		candidate.awaitCalls("granted", 1);
		return leader;
	}

	private StateStoreLeaderInitiator startRival() {
		StateStoreLeaderInitiator initiator = initiator(other, LONG, this.rival);
		initiator.start();
		return initiator;
	}

	@Test
	void callsCandidateAndListenersInOrder() {
		StateStoreLeaderInitiator leader = leader(this.candidate);
		LeaderContext term = this.candidate.term(1);
		assertThat(term.isLeader()).isTrue();
		assertThat(term.getRole()).isEqualTo(KEY);
		assertThat(term.token()).isEqualTo(term.heldLock().token());
		assertThat(leader.isLeader()).isTrue();
		assertThat(leader.context()).contains(term);
		leader.stop();
		assertThat(term.isLeader()).isFalse();
		assertThat(leader.isLeader()).isFalse();
		assertThat(this.candidate.calls).containsExactly("granted event of " + KEY, "granted", "revoked",
				"revoked event of " + KEY);
	}

	@Test
	void releasesLeadershipOnStop() {
		StateStoreLeaderInitiator leader = leader(this.candidate);
		StateStoreLeaderInitiator successor = startRival();
		assertThat(successor.isLeader()).isFalse();
		leader.stop();
		assertThat(this.template.get(KEY, String.class)).as("released before stop returned, or acquired by the rival")
			.satisfiesAnyOf((entry) -> assertThat(entry).isEmpty(), (entry) -> assertThat(entry.orElseThrow().version())
				.isGreaterThan(this.candidate.term(1).token().version()));
		assertThat(this.rival.term(1).token().version()).isGreaterThan(this.candidate.term(1).token().version());
	}

	@Test
	void startsAgainAfterStop() {
		StateStoreLeaderInitiator leader = leader(this.candidate);
		leader.stop();
		assertThat(leader.isRunning()).isFalse();
		leader.stop();
		leader.start();
		leader.start();
		assertThat(leader.isRunning()).isTrue();
		assertThat(this.candidate.term(2).isLeader()).isTrue();
		assertThat(this.candidate.count("revoked")).isEqualTo(1);
	}

	@Test
	void stopsWhileWaiting() {
		leader(this.candidate);
		StateStoreLeaderInitiator waiting = startRival();
		waiting.stop();
		assertThat(waiting.isRunning()).isFalse();
		assertThat(this.rival.calls).isEmpty();
	}

	@Test
	void stopsImmediatelyIfThreadCannotStart() {
		StateStoreLeaderInitiator leader = initiator(client, LONG, this.candidate);
		leader.setTaskExecutor((task) -> {
			throw new RejectedExecutionException("expected");
		});
		leader.start();
		assertTimeout(Duration.ofSeconds(10), () -> leader.stop());
	}

	@Test
	void leadsAgainAfterLockWasDeleted() {
		leader(this.candidate);
		this.template.delete(KEY);
		this.candidate.awaitCalls("revoked", 1);
		LeaderContext first = this.candidate.term(1);
		LeaderContext second = this.candidate.term(2);
		assertThat(second.token().version()).isGreaterThan(first.token().version());
		assertThat(first.isLeader()).isFalse();
		assertThat(second.isLeader()).isTrue();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> first.operations().set("recipe", "outdated"));
	}

	@Test
	void leadsAgainAfterLockWasTaken() {
		leader(this.candidate);
		this.template.set(KEY, "other holder");
		this.candidate.awaitCalls("revoked", 1);
		this.template.delete(KEY);
		this.candidate.awaitCalls("granted", 2);
	}

	@Test
	void leadsAgainAfterOutageLongerThanLease() {
		leader(LONG.withLease(Duration.ofSeconds(1)), this.candidate);
		client.connection.stop();
		await("the end of the lease").until(() -> !this.candidate.term(1).isLeader());
		this.candidate.awaitCalls("revoked", 1);
		client.connection.start();
		this.candidate.awaitCalls("granted", 2);
	}

	@Test
	void waitsForStoreUnavailableAtStart() {
		client.connection.stop();
		initiator(client, LONG, this.candidate).start();
		client.connection.start();
		this.candidate.awaitCalls("granted", 1);
	}

	@Test
	void retriesAfterFailedAcquisition() {
		StateStoreLockRegistry registry = registry(client, LONG);
		registry.stop();
		StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(registry.obtain(KEY), this.candidate);
		this.initiators.add(initiator);
		initiator.start();
		registry.start();
		this.candidate.awaitCalls("granted", 1);
	}

	@Test
	void otherProcessLeadsAfterYield() {
		leader(this.candidate);
		startRival();
		LeaderContext term = this.candidate.term(1);
		term.yield();
		assertThat(term.isLeader()).isFalse();
		this.rival.awaitCalls("granted", 1);
		assertThat(this.candidate.calls).contains("revoked");
		term.yield();
		assertThat(this.rival.term(1).isLeader()).isTrue();
		await("another term").until(() -> {
			// Either process may acquire the lock after a yield.
			this.rival.terms.forEach(LeaderContext::yield);
			return this.candidate.count("granted") > 1;
		});
	}

	@Test
	void storesProgressWhenRevokedAfterYield() {
		leader(new RecordingCandidate() {

			@Override
			public void onRevoked(Context context) {
				((LeaderContext) context).operations().set("position", 42);
				super.onRevoked(context);
			}

		}).context().orElseThrow().yield();
		await("the position").until(() -> this.template.get("position", Integer.class).isPresent());
	}

	@Test
	void interruptsBlockedCandidateBeforeRevocation() {
		RecordingCandidate working = new RecordingCandidate() {

			@Override
			public void onGranted(Context context) throws InterruptedException {
				super.onGranted(context);
				try {
					new CountDownLatch(1).await();
				}
				finally {
					this.calls.add("done");
				}
			}

			@Override
			public void onRevoked(Context context) {
				super.onRevoked(context);
				this.calls.add("interrupted: " + Thread.currentThread().isInterrupted());
			}

		};
		leader(working);
		this.template.delete(KEY);
		working.awaitCalls("granted", 2);
		assertThat(working.calls).startsWith("granted event of " + KEY, "granted", "done", "revoked",
				"interrupted: false", "revoked event of " + KEY, "granted event of " + KEY, "granted");
	}

	@Test
	void interruptingLockHolderSparesRevocation() {
		RecordingCandidate slow = new RecordingCandidate() {

			@Override
			public void onRevoked(Context context) {
				// Leaves time for an interrupt that must not come.
				LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
				this.calls.add("interrupted: " + Thread.currentThread().isInterrupted());
				super.onRevoked(context);
			}

		};
		leader(LONG.withInterruptHolder(true), slow);
		this.template.delete(KEY);
		slow.awaitCalls("granted", 2);
		assertThat(slow.calls).contains("interrupted: false").doesNotContain("interrupted: true");
	}

	@Test
	void yieldsWhenCandidateFailsAndRetries() {
		AtomicBoolean broken = new AtomicBoolean(true);
		RecordingCandidate failing = new RecordingCandidate() {

			@Override
			public void onGranted(Context context) throws InterruptedException {
				super.onGranted(context);
				if (broken.getAndSet(false)) {
					throw new IllegalStateException("No oven");
				}
			}

		};
		leader(failing);
		StateStoreLeaderInitiator rival = startRival();
		this.rival.awaitCalls("granted", 1);
		assertThat(failing.count("revoked")).isEqualTo(1);
		rival.stop();
		assertThat(failing.term(2).isLeader()).isTrue();
	}

	@Test
	void revokesCandidateThatThrowsUndeclaredException() {
		AtomicBoolean broken = new AtomicBoolean(true);
		RecordingCandidate failing = new RecordingCandidate() {

			@Override
			public void onGranted(Context context) throws InterruptedException {
				super.onGranted(context);
				if (broken.getAndSet(false)) {
					// As in Kotlin, where exceptions are not declared.
					StateStoreLeaderInitiatorTests.<RuntimeException>throwUnchecked(new IOException("No oven"));
				}
			}

		};
		leader(failing);
		failing.awaitCalls("revoked", 1);
		assertThat(failing.term(2).isLeader()).isTrue();
	}

	@SuppressWarnings("unchecked")
	private static <T extends Throwable> void throwUnchecked(Throwable failure) throws T {
		throw (T) failure;
	}

	@Test
	void leadsDespiteFailedEventListener() {
		StateStoreLeaderInitiator leader = initiator(client, LONG, this.candidate);
		leader.setApplicationEventPublisher((event) -> {
			throw new IllegalStateException("No listener");
		});
		leader.start();
		assertThat(this.candidate.term(1).isLeader()).isTrue();
		leader.stop();
		assertThat(this.candidate.calls).containsExactly("granted", "revoked");
	}

	@Tag("long")
	@Test
	void stopReleasesLockOfUnresponsiveCandidate() {
		CountDownLatch returned = new CountDownLatch(1);
		RecordingCandidate deaf = new RecordingCandidate() {

			@Override
			public void onGranted(Context context) throws InterruptedException {
				super.onGranted(context);
				while (returned.getCount() > 0) {
					LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
					Thread.interrupted();
				}
			}

		};
		StateStoreLeaderInitiator leader = leader(deaf);
		StateStoreLeaderInitiator successor = startRival();
		leader.stop();
		this.rival.awaitCalls("granted", 1);
		assertThat(deaf.calls).doesNotContain("revoked");
		leader.start();
		successor.stop();
		assertThat(deaf.count("granted")).as("no second term beside the first").isEqualTo(1);
		returned.countDown();
		deaf.awaitCalls("granted", 2);
		assertThat(deaf.calls).containsSubsequence("granted", "revoked", "granted");
	}

}
