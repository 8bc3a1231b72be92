package io.statestore.sample;

import io.statestore.client.StateStoreOperations;
import io.statestore.testing.boot.EmbeddedStateStore;
import io.statestore.testing.broker.StateStoreFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/** The sample during outages of its broker. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "sample.name=press-1", "sample.set-point=70", "statestore.request-timeout=1s" })
@EmbeddedStateStore
class SampleFaultsTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private SetPoint setPoint;

	@Autowired
	private StateStoreFaults faults;

	private final RestClient client;

	SampleFaultsTests(@LocalServerPort int port) {
		this.client = RestClient.create("http://localhost:" + port);
	}

	/** The sample stores its default within a second. */
	@BeforeEach
	void awaitSetPoint() {
		Awaitility.await().until(() -> this.setPoint.percent() != null);
	}

	@Test
	void changesTheSetPoint() {
		assertThat(changeSetPoint("42.5").is2xxSuccessful()).isTrue();
		assertThat(this.store).hasKey(MachineStore.SET_POINT).hasValue(42.5);
		Awaitility.await().until(() -> Double.valueOf(42.5).equals(this.setPoint.percent()));
	}

	@Test
	void reportsUnknownOutcomeAsUnavailable() {
		this.faults.replies().ofKey(MachineStore.SET_POINT).cut();
		assertThat(changeSetPoint("42.5").value()).isEqualTo(503);
	}

	@Test
	void storesReadingsAfterRestartOfBroker() {
		this.faults.restartEmpty();
		Awaitility.await()
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.store).hasKey("machines/press-1/cpu"));
		Awaitility.await().untilAsserted(() -> assertThat(this.store).hasKey(MachineStore.SET_POINT).hasValue(70.0));
	}

	private HttpStatusCode changeSetPoint(String percent) {
		return this.client.put()
			.uri("/set-point")
			.contentType(MediaType.APPLICATION_JSON)
			.body(percent)
			.exchange((request, response) -> response.getStatusCode());
	}

}
