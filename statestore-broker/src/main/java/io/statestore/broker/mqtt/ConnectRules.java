package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Rules for CONNECT packets that do not depend on the login: will and client id. */
final class ConnectRules {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectRules.class));

	private ConnectRules() {
	}

	/**
	 * Checks a CONNECT.
	 * @param connect the CONNECT of a client
	 * @return the code that refuses the client, or {@code null} if it is accepted
	 */
	static @Nullable MqttConnectReturnCode refusal(MqttConnectMessage connect) {
		String clientId = connect.payload().clientIdentifier();
		boolean will = connect.variableHeader().isWillFlag();
		String willTopic = connect.payload().willTopic();
		// The codec omits a topic of more than 32,767 bytes.
		if (will && (willTopic == null || Topics.isTooDeep(willTopic))) {
			clientLog.warn("Refused client '{}': the topic of its will has more than {} levels or 32,767 bytes",
					clientId, Topics.MAX_LEVELS);
			return ConnectRefusals.invalidTopic(connect);
		}
		if (will && (willTopic.isEmpty() || willTopic.indexOf('\0') >= 0 || connect.variableHeader().willQos() > 2)) {
			clientLog.warn("Refused client '{}': its will has an invalid topic or QoS", clientId);
			return ConnectRefusals.invalidTopic(connect);
		}
		if (will && ReservedTopics.containWill(willTopic)) {
			clientLog.warn("Refused client '{}': clients must not publish on the topic of its will", clientId);
			return ConnectRefusals.notAuthorized(connect);
		}
		if (ClientIds.isMissing(connect)) {
			clientLog.warn("Refused a client: its client id must not be empty to continue a session");
			return ConnectRefusals.invalidClientId(connect);
		}
		MqttProperties properties = connect.variableHeader().properties();
		if (Packets.interval(properties, MqttProperties.RECEIVE_MAXIMUM, 1) == 0
				|| Packets.interval(properties, MqttProperties.MAXIMUM_PACKET_SIZE, 1) == 0) {
			// MQTT 5 sections 3.1.2.11.3 and 3.1.2.11.4
			clientLog.warn("Refused client '{}': its Receive Maximum or Maximum Packet Size is 0", clientId);
			return MqttConnectReturnCode.CONNECTION_REFUSED_PROTOCOL_ERROR;
		}
		return null;
	}

}
