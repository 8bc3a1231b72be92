package io.statestore.testing;

import io.statestore.broker.StateStoreBroker;
import org.junit.jupiter.api.AfterAll;

/** Controlled time of clients and a broker that communicate over TCP. */
class TimeOverMqttTests extends ControlledTimeTest {

	private final StateStoreBroker broker = StateStoreBroker.builder().time(this.time).start();

	@Override
	TestClient connect(String clientId) {
		return new MqttClient(this.broker.port(), this.time, clientId);
	}

	@AfterAll
	void closeBroker() {
		this.broker.close();
	}

}
