package io.statestore.broker.mqtt;

import java.util.UUID;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.statestore.broker.packet.Packets;

/**
 * Client ids for clients of MQTT 3.1.1 without one. Artemis assigns an id as well, but
 * before MQTT 5 its CONNACK does not tell which, so that the memory of the session could
 * not be assigned to its connection.
 */
final class AnonymousClients {

	private AnonymousClients() {
	}

	/**
	 * Gives an id to a client that has none (MQTT 3.1.1 section 3.1.3.1).
	 * @param connect the CONNECT of a client
	 * @return the same packet if it has an id, is of MQTT 5, or is to be refused because
	 * its session would outlive its connection
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
