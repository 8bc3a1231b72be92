package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.protocol.Topics;
import io.statestore.test.PropertyType;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** A broker on a real socket that uses {@link EchoServer}. */
public abstract class MqttBrokerTest {

	static final int MAX_PACKET_SIZE = 100_000;

	final EchoServer server = new EchoServer();

	protected MemoryBudget budget = MemoryBudget.unlimited();

	@AutoClose
	protected MqttBroker broker;

	@BeforeEach
	void startBroker() {
		this.broker = start(settings());
	}

	protected MqttBroker start(MqttBrokerSettings settings) {
		return MqttBroker.start(settings, this.server, this.budget);
	}

	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE);
	}

	protected static RawPublish request(RawMqttConnection client, String payload, String responseTopic) {
		return client.publish(Topics.REQUEST, 1, payload, requestProperties(responseTopic, "c-" + payload));
	}

	protected static RawProperty[] requestProperties(String responseTopic, String correlationData) {
		return new RawProperty[] { PropertyType.RESPONSE_TOPIC.of(responseTopic),
				PropertyType.CORRELATION_DATA.of(correlationData.getBytes(StandardCharsets.UTF_8)) };
	}

	/** Returns a message to be retained, without sending it. */
	protected static RawPublish retained(RawMqttConnection client, String topic, int qos, String payload) {
		RawPublish message = client.publish(topic, qos, payload);
		message.retain = true;
		return message;
	}

	protected RawMqttConnection client(String clientId) throws Exception {
		return RawMqttConnection.connected(this.broker.port(), clientId);
	}

}
