package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.statestore.broker.artemis.session.QueueNames;
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
		if (will && ReservedTopics.containWill(willTopic)) {
			clientLog.warn("Refused client '{}': clients must not publish on the topic of its will", clientId);
			return ConnectRefusals.notAuthorized(connect);
		}
		// The broker derives a topic from the client id.
		if (ClientIds.isMissing(connect) || Topics.isTooDeep(clientId) || QueueNames.containsQueueSeparator(clientId)) {
			clientLog.warn("Refused client '{}': a client id must not contain '::' or more than {} slashes and dots, "
					+ "and must not be empty to continue a session", clientId, Topics.MAX_LEVELS - 1);
			return ConnectRefusals.invalidClientId(connect);
		}
		return null;
	}

}
