package io.statestore.sample;

import java.util.Map;

import io.statestore.client.StateStoreOperations;
import io.statestore.sample.press.PressApplication;
import io.statestore.testing.boot.EmbeddedStateStore;
import io.statestore.testing.broker.StateStoreFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.ActiveProfiles;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/** A press during outages of its broker. */
@SpringBootTest(classes = PressApplication.class, webEnvironment = WebEnvironment.NONE,
		properties = { "sample.name=press-1", "statestore.request-timeout=1s" })
@ActiveProfiles("press")
@EmbeddedStateStore
class SampleFaultsTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreFaults faults;

	@Test
	void storesEverythingAfterRestartWithEmptyStore() {
		awaitReading();
		this.faults.restartEmpty();
		awaitReading();
		Awaitility.await()
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.store).hasKey("line/setpoint").hasValue(150.0));
		Awaitility.await()
			.ignoreExceptions()
			.untilAsserted(
					() -> assertThat(this.store.getValue("line/batch", Map.class).map((batch) -> batch.get("leader")))
						.contains("press-1"));
	}

	@Test
	void restoresDeletedSetpoint() {
		Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(this.store).hasKey("line/setpoint"));
		this.store.delete("line/setpoint");
		Awaitility.await()
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.store).hasKey("line/setpoint").hasValue(150.0));
	}

	private void awaitReading() {
		Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(this.store).hasKey("line/press-1"));
	}

}
