package io.statestore.broker.mqtt;

import java.util.UUID;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Rules for CONNECT packets that do not depend on the login, such as rules for the will
 * and the client id, and the codes with which clients are refused.
 */
final class ConnectRules {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectRules.class));

	private ConnectRules() {
	}

	/**
	 * Checks a CONNECT.
	 * @param connect the client's CONNECT
	 * @return the MQTT 5 reason code with which to refuse the client, or {@code null} to
	 * accept it
	 */
	static @Nullable MqttConnectReturnCode check(MqttConnectMessage connect) {
		String clientId = connect.payload().clientIdentifier();
		boolean will = connect.variableHeader().isWillFlag();
		String willTopic = connect.payload().willTopic();
		// The codec omits topics longer than 32,767 bytes.
		if (will && (willTopic == null || Topics.isTooDeep(willTopic))) {
			clientLog.warn("Refused client '{}': the topic of its will has more than {} levels or 32,767 bytes",
					clientId, Topics.MAX_LEVELS);
			return MqttConnectReturnCode.CONNECTION_REFUSED_TOPIC_NAME_INVALID;
		}
		if (will && TopicDecision.isReservedForWill(willTopic)) {
			clientLog.warn("Refused client '{}': clients must not publish on the topic of its will", clientId);
			return MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5;
		}
		if (will && (connect.variableHeader().willQos() > 2 || !Publications.areValid(willTopic,
				Packets.property(connect.payload().willProperties(), MqttProperties.RESPONSE_TOPIC, String.class)))) {
			clientLog.warn("Refused client '{}': its will has an invalid topic, Response Topic, or QoS", clientId);
			return MqttConnectReturnCode.CONNECTION_REFUSED_TOPIC_NAME_INVALID;
		}
		if (hasNoClientId(connect)) {
			clientLog.warn("Refused a client: its client id must not be empty to continue a session");
			return MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID;
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

	/** Returns the code for a failed login. */
	static MqttConnectReturnCode returnCode(Refused reason) {
		return switch (reason) {
			case BAD_CREDENTIALS, LOGIN_REQUIRED -> MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD;
			case ADDRESS_NOT_PERMITTED -> MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5;
			case UNKNOWN_METHOD -> MqttConnectReturnCode.CONNECTION_REFUSED_BAD_AUTHENTICATION_METHOD;
			case BUSY -> MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_BUSY;
			case UNAVAILABLE -> MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE_5;
		};
	}

	/** Describes a refusal for the log. */
	static String describe(Refused refused) {
		return switch (refused) {
			case BAD_CREDENTIALS -> "wrong user name, password, or token. The audit log has the reason";
			case LOGIN_REQUIRED -> "it must log in with a user name and password, a certificate, or a token";
			case ADDRESS_NOT_PERMITTED ->
				"its address requires a login, but no login is configured. Configure users, or accept "
						+ "anonymous clients at all addresses (statestore.embedded.anonymous=all or --anonymous all)";
			case UNKNOWN_METHOD -> "this broker does not support its authentication method";
			case BUSY -> "too many logins wait for verification";
			case UNAVAILABLE ->
				"its credentials or permissions could not be determined. An earlier error, or the audit log, has the reason";
		};
	}

	/**
	 * Returns a CONNACK that refuses a client.
	 * @param connect the client's CONNECT
	 * @param code the MQTT 5 reason code
	 */
	static MqttMessage connack(MqttConnectMessage connect, MqttConnectReturnCode code) {
		return MqttMessageBuilders.connAck()
			.returnCode(isMqtt5(connect) ? code : beforeMqtt5(code))
			.sessionPresent(false)
			.build();
	}

	private static MqttConnectReturnCode beforeMqtt5(MqttConnectReturnCode code) {
		return switch (code) {
			case CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD ->
				MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USER_NAME_OR_PASSWORD;
			case CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID ->
				MqttConnectReturnCode.CONNECTION_REFUSED_IDENTIFIER_REJECTED;
			case CONNECTION_REFUSED_NOT_AUTHORIZED_5, CONNECTION_REFUSED_TOPIC_NAME_INVALID ->
				MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED;
			default -> MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE;
		};
	}

	static boolean isMqtt5(MqttConnectMessage connect) {
		return connect.variableHeader().version() == Packets.MQTT_5;
	}

	/** Returns whether a CONNECT lacks a client id. */
	static boolean hasNoClientId(MqttConnectMessage connect) {
		String clientId = connect.payload().clientIdentifier();
		return clientId == null || clientId.isEmpty();
	}

	/**
	 * Assigns an id to a client that has none (MQTT 5 section 3.1.3.1).
	 * @param connect the client's CONNECT
	 * @return a CONNECT with an id, or the same packet if it has one. A packet without an
	 * id that asks to continue a session is returned unchanged, to be refused
	 */
	static MqttConnectMessage withClientId(MqttConnectMessage connect) {
		boolean assigns = hasNoClientId(connect) && connect.variableHeader().isCleanSession();
		return assigns ? Packets.withClientId(connect, UUID.randomUUID().toString()) : connect;
	}

}
