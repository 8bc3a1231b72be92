package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.statestore.broker.artemis.session.QueueNames;
import io.statestore.broker.mqtt.MqttBrokerSettings.Account;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Rules for CONNECT packets: login, will, authentication method, and client id. */
final class ConnectRules {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectRules.class));

	private final @Nullable Account account;

	/**
	 * Creates rules.
	 * @param account the account that clients must use, or {@code null} if none is
	 * required
	 */
	ConnectRules(@Nullable Account account) {
		this.account = account;
	}

	/**
	 * Checks a CONNECT.
	 * @param connect the CONNECT of a client
	 * @return the CONNACK that refuses the client, or {@code null} if it is accepted
	 */
	@Nullable MqttMessage refusal(MqttConnectMessage connect) {
		boolean mqtt5 = connect.variableHeader().version() == Packets.MQTT_5;
		String clientId = connect.payload().clientIdentifier();
		if (this.account != null && !isLoginOf(this.account, connect)) {
			clientLog.warn("Refused client '{}': wrong user name or password", clientId);
			return connack(mqtt5 ? MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD
					: MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USER_NAME_OR_PASSWORD);
		}
		if (connect.variableHeader().isWillFlag() && ReservedTopics.containWill(connect.payload().willTopic())) {
			clientLog.warn("Refused client '{}': clients must not publish on the topic of its will", clientId);
			return notAuthorized(connect.variableHeader().version());
		}
		if (mqtt5 && Packets.property(connect.variableHeader().properties(), MqttPropertyType.AUTHENTICATION_METHOD,
				String.class) != null) {
			// Artemis would discard the session of that client id, but not its queues.
			clientLog.warn("Refused client '{}': enhanced authentication is not supported; connect without an "
					+ "authentication method", clientId);
			return connack(MqttConnectReturnCode.CONNECTION_REFUSED_BAD_AUTHENTICATION_METHOD);
		}
		if (ClientIds.isMissing(connect) || QueueNames.containsQueueSeparator(clientId)) {
			clientLog.warn("Refused client '{}': a client id must not contain '::', and must not be empty to continue "
					+ "a session", clientId);
			return connack(mqtt5 ? MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID
					: MqttConnectReturnCode.CONNECTION_REFUSED_IDENTIFIER_REJECTED);
		}
		return null;
	}

	/**
	 * Returns the principal of a client that is accepted.
	 * @return the user of the account, {@link ClientPrincipal#ANONYMOUS} if no login is
	 * required
	 */
	ClientPrincipal principal() {
		return (this.account != null) ? ClientPrincipal.of(this.account.user()) : ClientPrincipal.ANONYMOUS;
	}

	/**
	 * Returns the CONNACK that refuses a client because of a missing permission.
	 * @param version protocol level of the client
	 */
	static MqttMessage notAuthorized(int version) {
		return connack((version == Packets.MQTT_5) ? MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5
				: MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED);
	}

	private static boolean isLoginOf(Account account, MqttConnectMessage connect) {
		String user = connect.payload().userName();
		byte[] password = connect.payload().passwordInBytes();
		// Always compares both, in constant time, so that timing reveals neither.
		boolean sameUser = user != null && MessageDigest.isEqual(user.getBytes(StandardCharsets.UTF_8),
				account.user().getBytes(StandardCharsets.UTF_8));
		boolean samePassword = password != null && MessageDigest.isEqual(password, account.password());
		return sameUser & samePassword;
	}

	private static MqttMessage connack(MqttConnectReturnCode code) {
		return MqttMessageBuilders.connAck().returnCode(code).sessionPresent(false).build();
	}

}
