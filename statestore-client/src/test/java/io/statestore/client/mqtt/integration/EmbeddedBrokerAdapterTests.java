package io.statestore.client.mqtt.integration;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.mqtt.ConnectionOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedBrokerAdapterTests extends AdapterContract {

	private StateStoreBroker broker = StateStoreBroker.builder().start();

	@AfterEach
	void closeBroker() {
		this.broker.close();
	}

	@Override
	ConnectionOptions.Builder options() {
		return ConnectionOptions.builder().host(this.broker.host()).port(this.broker.port());
	}

	@Override
	void restartBroker() {
		int port = this.broker.port();
		this.broker.close();
		this.broker = StateStoreBroker.builder().port(port).start();
	}

	// Mosquitto 2.0 sometimes sends more, although it has received the maximum.
	@Test
	@Override
	void acknowledgesManyMessagesManually() throws Exception {
		assertThat(publishManyAndAcknowledgeEach()).isLessThanOrEqualTo(AdapterInbox.RECEIVE_MAXIMUM);
	}

}
