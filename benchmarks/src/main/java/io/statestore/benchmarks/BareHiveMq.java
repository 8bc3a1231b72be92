package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.UUID;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;

/** The HiveMQ client without our client. */
final class BareHiveMq {

	private BareHiveMq() {
	}

	/** Returns a caller that sends a fixed request and matches its reply. */
	static Caller caller(int port, Calls calls) {
		byte[] request = calls.request();
		String timestamp = calls.timestamp();
		Mqtt5UserProperties properties = (timestamp != null)
				? Mqtt5UserProperties.builder().add(UserProperties.TIMESTAMP, timestamp).build()
				: Mqtt5UserProperties.of();
		String clientId = "bare-" + UUID.randomUUID();
		String responseTopic = Topics.response(clientId);
		Caller.Replies replies = new Caller.Replies();
		Mqtt5AsyncClient client = Mqtt5Client.builder()
			.identifier(clientId)
			.serverHost("127.0.0.1")
			.serverPort(port)
			.buildAsync();
		client.connect().join();
		client.publishes(MqttGlobalPublishFilter.ALL,
				(publish) -> replies.arrived(publish.getCorrelationData().orElseThrow()));
		client.subscribeWith().topicFilter(responseTopic).qos(MqttQos.AT_LEAST_ONCE).send().join();
		return Caller.of(() -> replies.request((correlation) -> client.publishWith()
			.topic(Topics.REQUEST)
			.qos(MqttQos.AT_LEAST_ONCE)
			.payload(request)
			.responseTopic(responseTopic)
			.correlationData(ByteBuffer.wrap(correlation))
			.userProperties(properties)
			.send()), () -> client.disconnect().join());
	}

}
