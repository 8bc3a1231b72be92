package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.packet.Packets;

/** Codes that refuse a CONNECT, which depend on the version of MQTT. */
final class ConnectRefusals {

	private ConnectRefusals() {
	}

	static MqttConnectReturnCode of(Refused reason, MqttConnectMessage connect) {
		boolean mqtt5 = isMqtt5(connect);
		return switch (reason) {
			case BAD_CREDENTIALS, LOGIN_REQUIRED ->
				mqtt5 ? MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD
						: MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USER_NAME_OR_PASSWORD;
			case ADDRESS_NOT_PERMITTED -> notAuthorized(connect);
			case UNKNOWN_METHOD -> MqttConnectReturnCode.CONNECTION_REFUSED_BAD_AUTHENTICATION_METHOD;
			case BUSY -> mqtt5 ? MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_BUSY
					: MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE;
			case UNAVAILABLE -> mqtt5 ? MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE_5
					: MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE;
		};
	}

	/** Returns the reason of a refusal for the log. */
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

	static MqttConnectReturnCode invalidClientId(MqttConnectMessage connect) {
		return isMqtt5(connect) ? MqttConnectReturnCode.CONNECTION_REFUSED_CLIENT_IDENTIFIER_NOT_VALID
				: MqttConnectReturnCode.CONNECTION_REFUSED_IDENTIFIER_REJECTED;
	}

	static MqttConnectReturnCode invalidTopic(MqttConnectMessage connect) {
		return isMqtt5(connect) ? MqttConnectReturnCode.CONNECTION_REFUSED_TOPIC_NAME_INVALID
				: MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED;
	}

	static MqttConnectReturnCode notAuthorized(MqttConnectMessage connect) {
		return isMqtt5(connect) ? MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5
				: MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED;
	}

	static MqttMessage connack(MqttConnectReturnCode code) {
		return MqttMessageBuilders.connAck().returnCode(code).sessionPresent(false).build();
	}

	private static boolean isMqtt5(MqttConnectMessage connect) {
		return connect.variableHeader().version() == Packets.MQTT_5;
	}

}
