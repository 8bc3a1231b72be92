package io.statestore.sample;

import java.time.Duration;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.sample.press.PressApplication;
import io.statestore.testing.TestTime;
import io.statestore.testing.boot.EmbeddedStateStore;
import io.statestore.testing.broker.StateStoreFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.ActiveProfiles;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;

/** Expiries and leases of a press, without waiting for them. */
@SpringBootTest(classes = PressApplication.class, webEnvironment = WebEnvironment.NONE,
		properties = "sample.name=press-1")
@ActiveProfiles("press")
@EmbeddedStateStore(controlTime = true)
class SampleTimeTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreLeaderInitiator election;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestTime time;

	@AfterEach
	void endFaults() {
		this.faults.clear();
	}

	@Test
	void removesReadingOfStoppedPress() {
		Awaitility.await().untilAsserted(() -> assertThat(this.store).hasKey("line/press-1"));
		this.faults.requests().ofKey("line/press-1").drop();
		this.time.advance(Duration.ofSeconds(6));
		// The press is still waiting for the reply.
		this.faults.clear();
		assertThat(this.store).doesNotHaveKey("line/press-1");
	}

	@Test
	void leaderStepsDownWithoutRenewal() {
		Awaitility.await().untilAsserted(() -> assertThat(this.election).isLeader());
		this.time.advance(Duration.ofMinutes(5));
		assertThat(this.election).isLeader();
		this.faults.requests().ofKey("line-leader").drop();
		this.time.advance(Duration.ofSeconds(9));
		assertThat(this.election).isNotLeader();
	}

}
