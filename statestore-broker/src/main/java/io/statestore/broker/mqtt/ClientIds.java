package io.statestore.broker.mqtt;

import java.util.UUID;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.statestore.broker.packet.Packets;

/** Client ids in CONNECT packets. */
final class ClientIds {

	private ClientIds() {
	}

	/** Returns whether a CONNECT contains no client id. */
	static boolean isMissing(MqttConnectMessage connect) {
		String clientId = connect.payload().clientIdentifier();
		return clientId == null || clientId.isEmpty();
	}

	/**
	 * Assigns an id to a client that has none (MQTT 5 section 3.1.3.1).
	 * @param connect the CONNECT of a client
	 * @return a CONNECT with an id, or the same packet if it has one. A packet without an
	 * id that continues a session is returned unchanged, to be refused.
	 */
	static MqttConnectMessage assigned(MqttConnectMessage connect) {
		boolean assigns = isMissing(connect) && connect.variableHeader().isCleanSession();
		return assigns ? Packets.withClientId(connect, UUID.randomUUID().toString()) : connect;
	}

}
