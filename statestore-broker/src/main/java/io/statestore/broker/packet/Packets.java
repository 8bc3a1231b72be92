package io.statestore.broker.packet;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import org.jspecify.annotations.Nullable;

/**
 * Factory methods and accessors for MQTT packets.
 * <p>
 * Internal: not part of the API.
 */
public final class Packets {

	/** Protocol level of MQTT 5. */
	public static final int MQTT_5 = MqttVersion.MQTT_5.protocolLevel();

	private Packets() {
	}

	/**
	 * Returns a CONNECT with a different client id.
	 * @param connect the client's CONNECT
	 * @param clientId the new client id
	 * @return a packet that is otherwise equal
	 */
	public static MqttConnectMessage withClientId(MqttConnectMessage connect, String clientId) {
		MqttConnectPayload payload = connect.payload();
		return new MqttConnectMessage(connect.fixedHeader(), connect.variableHeader(),
				new MqttConnectPayload(clientId, payload.willProperties(), payload.willTopic(),
						payload.willMessageInBytes(), payload.userName(), payload.passwordInBytes()));
	}

	/**
	 * Returns an AUTH that accepts a re-authentication.
	 * @param method the authentication method in the CONNECT
	 * @return a new packet
	 */
	public static MqttMessage authenticated(String method) {
		return MqttMessageBuilders.auth().properties(text(MqttProperties.AUTHENTICATION_METHOD, method)).build();
	}

	/**
	 * Returns an MQTT 5 DISCONNECT.
	 * @param reasonCode the MQTT 5 reason code
	 * @param reason the Reason String
	 * @return a new packet
	 */
	public static MqttMessage disconnect(int reasonCode, String reason) {
		return MqttMessageBuilders.disconnect()
			.reasonCode((byte) reasonCode)
			.properties(text(MqttProperties.REASON_STRING, reason))
			.build();
	}

	private static MqttProperties text(int type, String value) {
		MqttProperties properties = new MqttProperties();
		properties.add(new StringProperty(type, value));
		return properties;
	}

	/**
	 * Returns the first reply to a PUBLISH.
	 * @param qos the message's QoS level, 1 or 2
	 * @param packetId packet identifier
	 * @param reasonCode reason code, which the encoder omits before MQTT 5
	 * @return a new PUBACK or PUBREC
	 */
	public static MqttMessage acknowledgment(int qos, int packetId, int reasonCode) {
		return reply((qos == 2) ? MqttMessageType.PUBREC : MqttMessageType.PUBACK, packetId, reasonCode);
	}

	/**
	 * Returns a reply to a PUBLISH, PUBREC, or PUBREL.
	 * @param type PUBACK, PUBREC, PUBREL, or PUBCOMP
	 * @param packetId packet identifier
	 * @param reasonCode reason code, which the encoder omits before MQTT 5
	 * @return a new packet
	 */
	public static MqttMessage reply(MqttMessageType type, int packetId, int reasonCode) {
		MqttQoS flags = (type == MqttMessageType.PUBREL) ? MqttQoS.AT_LEAST_ONCE : MqttQoS.AT_MOST_ONCE;
		return new MqttMessage(new MqttFixedHeader(type, false, flags, false, 0),
				new MqttPubReplyMessageVariableHeader(packetId, (byte) reasonCode, MqttProperties.NO_PROPERTIES));
	}

	/**
	 * Returns whether a packet successfully acknowledges a QoS 1 message.
	 * @param packet any packet
	 * @return whether it is a PUBACK without a failure
	 */
	public static boolean isSuccessfulPuback(MqttMessage packet) {
		return packet.fixedHeader().messageType() == MqttMessageType.PUBACK
				&& ((MqttPubReplyMessageVariableHeader) packet.variableHeader()).reasonCode() == 0;
	}

	/**
	 * Returns the packet identifier.
	 * @param message a packet whose type has a packet identifier
	 * @return the identifier, 1 to 65,535
	 */
	public static int packetId(MqttMessage message) {
		return ((MqttMessageIdVariableHeader) message.variableHeader()).messageId();
	}

	/**
	 * Returns whether a PUBREC refuses the message.
	 * @param message a PUBREC
	 * @return whether its reason code means failure
	 */
	public static boolean isFailure(MqttMessage message) {
		return message.variableHeader() instanceof MqttPubReplyMessageVariableHeader header && header.reasonCode() < 0;
	}

	/**
	 * Returns the value of a property.
	 * @param <T> type of the value
	 * @param properties the packet's properties
	 * @param type the property's identifier
	 * @param valueType type of the value
	 * @return the value, or {@code null} if the property is absent
	 */
	public static <T> @Nullable T property(MqttProperties properties, int type, Class<T> valueType) {
		MqttProperty<?> property = properties.getProperty(type);
		return (property != null) ? valueType.cast(property.value()) : null;
	}

	/**
	 * Returns the value of a property that is an unsigned number.
	 * @param properties the packet's properties
	 * @param type the property's identifier
	 * @param absent the value to return if the property is absent
	 * @return the value as an unsigned number
	 */
	public static long interval(MqttProperties properties, int type, long absent) {
		Integer value = property(properties, type, Integer.class);
		return (value != null) ? Integer.toUnsignedLong(value) : absent;
	}

}
