package io.statestore.broker.mqtt;

import java.util.UUID;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;

/**
 * Client ids in CONNECT packets. Artemis could assign ids as well, but they would not
 * have the form that {@link QueueNames} requires, and before MQTT 5 its CONNACK does not
 * contain them.
 */
final class ClientIds {

	private ClientIds() {
	}

	/** Returns whether a client has no id of its own. */
	static boolean isMissing(MqttConnectMessage connect) {
		String clientId = connect.payload().clientIdentifier();
		return clientId == null || clientId.isEmpty();
	}

	/**
	 * Assigns an id to a client that has none (MQTT 5 section 3.1.3.1).
	 * @param connect the CONNECT of a client
	 * @return the same packet if it has an id, or is to be refused because it continues a
	 * session
	 */
	static MqttConnectMessage assigned(MqttConnectMessage connect) {
		boolean assigns = isMissing(connect) && connect.variableHeader().isCleanSession();
		return assigns ? withId(connect, UUID.randomUUID().toString()) : connect;
	}

	/** Returns the CONNECT for Artemis, in which the client id has its internal form. */
	static MqttConnectMessage internal(MqttConnectMessage connect) {
		return withId(connect, QueueNames.clientId(connect.payload().clientIdentifier()));
	}

	private static MqttConnectMessage withId(MqttConnectMessage connect, String clientId) {
		MqttConnectPayload payload = connect.payload();
		return new MqttConnectMessage(connect.fixedHeader(), connect.variableHeader(),
				new MqttConnectPayload(clientId, payload.willProperties(), payload.willTopic(),
						payload.willMessageInBytes(), payload.userName(), payload.passwordInBytes()));
	}

}
