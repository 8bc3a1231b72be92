package io.statestore.client.leader;

import java.time.Duration;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Leader election of Spring Integration with locks of a state store. */
@Timeout(60)
class LockRegistryLeaderInitiatorTests {

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final TestClient client = new TestClient(this.broker.port());

	private final TestClient other = new TestClient(this.broker.port());

	private final RecordingCandidate candidate = new RecordingCandidate();

	private final LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
			new StateStoreLockRegistry(this.client.template, LockOptions.DEFAULT.withLease(Duration.ofSeconds(1))),
			this.candidate);

	@BeforeEach
	void start() {
		TestClient.start(this.client, this.other);
		this.initiator.setApplicationEventPublisher(this.candidate.events());
		this.initiator.setHeartBeatMillis(20);
		this.initiator.start();
		this.candidate.awaitCalls("granted", 1);
	}

	@AfterEach
	void close() {
		this.initiator.stop();
		this.client.close();
		this.other.close();
		this.broker.close();
	}

	@Test
	void leadsAgainAfterLockWasTaken() {
		this.other.template.set(RecordingCandidate.ROLE, "other holder");
		this.candidate.awaitCalls("revoked", 1);
		assertThat(this.initiator.getContext().isLeader()).isFalse();
		assertThat(this.other.template.get(RecordingCandidate.ROLE, String.class).orElseThrow().value())
			.isEqualTo("other holder");
		this.other.template.delete(RecordingCandidate.ROLE);
		this.candidate.awaitCalls("granted", 2);
		assertThat(this.initiator.getContext().isLeader()).isTrue();
		assertThat(this.candidate.count("revoked")).isEqualTo(1);
	}

	@Test
	void leadsAgainAfterLockWasDeleted() {
		Key key = Key.of(RecordingCandidate.ROLE);
		// The lock is not watched during the first third of its lease.
		await("a revocation").until(() -> {
			this.other.template.delete(key);
			return this.candidate.count("revoked") > 0;
		});
		this.candidate.awaitCalls("granted", 2);
	}

	@Test
	void leadsAgainAfterOutageLongerThanLease() {
		this.client.connection.stop();
		this.candidate.awaitCalls("revoked", 1);
		this.client.connection.start();
		this.candidate.awaitCalls("granted", 2);
	}

}
