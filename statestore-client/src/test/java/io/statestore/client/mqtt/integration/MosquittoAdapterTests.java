package io.statestore.client.mqtt.integration;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.TestOptions;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("long")
@RequiresProgram("mosquitto")
class MosquittoAdapterTests extends AdapterContract {

	private final Mosquitto broker;

	MosquittoAdapterTests() {
		this.broker = Mosquitto.start("allow_anonymous true", "max_queued_messages 0", "max_inflight_messages 5000");
	}

	@AfterEach
	void closeBroker() {
		this.broker.close();
	}

	@Override
	ConnectionOptions.Builder options() {
		return TestOptions.of(this.broker);
	}

	@Override
	void restartBroker() {
		this.broker.restart();
	}

	// The embedded broker sends each copy with the identifiers of all subscriptions.
	@Test
	void deliversOverlappingSubscriptionsOnce() throws Exception {
		assertThat(publishToOverlappingSubscriptions()).filteredOn("narrow 0"::equals).hasSize(1);
	}

}
