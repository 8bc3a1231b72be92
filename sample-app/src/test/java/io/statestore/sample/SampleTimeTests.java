package io.statestore.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.testing.TestTime;
import io.statestore.testing.boot.EmbeddedStateStore;
import io.statestore.testing.broker.StateStoreFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/** Expiries and leases of the sample, without waiting for them. */
@SpringBootTest(webEnvironment = WebEnvironment.MOCK, properties = "sample.name=press-1")
@EmbeddedStateStore(controlTime = true)
class SampleTimeTests {

	/** Key of the lock of the election, the name of the application. */
	private static final String LEADER = "state-store-sample";

	@Autowired
	private MachineStore machines;

	@Autowired
	private StateStoreLeaderInitiator election;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestTime time;

	@Test
	void removesReadingsOfStoppedMachine() {
		this.machines.save("press-9", Map.of("cpu", new Reading(50, Instant.EPOCH)));
		this.time.advance(Duration.ofSeconds(9));
		assertThat(this.machines.readings()).containsKey("press-9");
		this.time.advance(Duration.ofSeconds(2));
		assertThat(this.machines.readings()).doesNotContainKey("press-9");
	}

	@Test
	void leaderStepsDownWithoutRenewal() {
		Awaitility.await().untilAsserted(() -> assertThat(this.election).isLeader());
		this.time.advance(Duration.ofMinutes(5));
		assertThat(this.election).isLeader();
		this.faults.requests().ofKey(LEADER).drop();
		this.time.advance(Duration.ofSeconds(31));
		assertThat(this.election).isNotLeader();
	}

}
