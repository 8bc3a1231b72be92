package io.statestore.broker.mqtt;

import io.statestore.broker.memory.MemoryBudget;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/** A broker on a real socket, with {@link EchoServer} behind it. */
public abstract class MqttBrokerTest {

	static final int MAX_PACKET_SIZE = 100_000;

	final EchoServer server = new EchoServer();

	protected MemoryBudget budget = MemoryBudget.unlimited();

	protected MqttBroker broker;

	@BeforeEach
	void startBroker() {
		this.broker = MqttBroker.start(settings(), this.server, this.budget);
	}

	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE, null);
	}

	@AfterEach
	void stopBroker() {
		this.broker.close();
	}

	protected ActiveMQServer artemis() {
		return assertThat(this.broker)
			.extracting("artemis.server", InstanceOfAssertFactories.type(ActiveMQServer.class))
			.actual();
	}

	protected RawClient client(String clientId) throws Exception {
		return RawClient.connected(this.broker.port(), clientId);
	}

}
