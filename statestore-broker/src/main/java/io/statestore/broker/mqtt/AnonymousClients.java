package io.statestore.broker.mqtt;

import java.util.UUID;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.statestore.broker.packet.Packets;

/**
 * Generator of client ids for MQTT 3.1.1 clients without one. Artemis assigns an id, too,
 * but before MQTT 5 the CONNACK does not contain it. The memory of the session could then
 * not be charged to its connection.
 */
final class AnonymousClients {

	private AnonymousClients() {
	}

	/**
	 * Assigns an id to a client without one (MQTT 3.1.1 section 3.1.3.1).
	 * @param connect the CONNECT of a client
	 * @return a packet with an id. The same packet if it has an id, uses MQTT 5, or must
	 * be refused because its session would outlive its connection
	 */
	static MqttConnectMessage identified(MqttConnectMessage connect) {
		MqttConnectPayload payload = connect.payload();
		String clientId = payload.clientIdentifier();
		boolean named = clientId != null && !clientId.isEmpty();
		if (named || connect.variableHeader().version() == Packets.MQTT_5
				|| !connect.variableHeader().isCleanSession()) {
			return connect;
		}
		return new MqttConnectMessage(connect.fixedHeader(), connect.variableHeader(),
				new MqttConnectPayload(UUID.randomUUID().toString(), payload.willProperties(), payload.willTopic(),
						payload.willMessageInBytes(), payload.userName(), payload.passwordInBytes()));
	}

}
