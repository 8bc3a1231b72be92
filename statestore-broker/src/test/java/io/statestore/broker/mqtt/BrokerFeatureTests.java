package io.statestore.broker.mqtt;

import io.statestore.broker.memory.MemoryBudget;
import org.junit.jupiter.api.AutoClose;

/** This project's broker, see {@link MosquittoFeatureTests}. */
class BrokerFeatureTests extends MqttFeatureTest {

	@AutoClose
	private final MqttBroker broker = MqttBroker.start(new MqttBrokerSettings("localhost", 0, 100_000),
			new EchoServer(), MemoryBudget.unlimited());

	@Override
	int port() {
		return this.broker.port();
	}

}
