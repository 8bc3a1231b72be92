package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.statestore.broker.artemis.session.QueueNames;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.server.ClientLog;
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
		if (connect.variableHeader().isWillFlag() && ReservedTopics.containWill(connect.payload().willTopic())) {
			clientLog.warn("Refused client '{}': clients must not publish on the topic of its will", clientId);
			return ConnectRefusals.notAuthorized(connect);
		}
		if (ClientIds.isMissing(connect) || QueueNames.containsQueueSeparator(clientId)) {
			clientLog.warn("Refused client '{}': a client id must not contain '::', and must not be empty to continue "
					+ "a session", clientId);
			return ConnectRefusals.invalidClientId(connect);
		}
		return null;
	}

}
