package io.statestore.broker.packet;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
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
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
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
	 * Returns the CONNACK that refuses a client because memory or another quota is
	 * exhausted.
	 * @param version protocol level of the client
	 * @return the packet, for MQTT 5 with the reason code Quota exceeded
	 */
	public static MqttMessage refusalForMemory(int version) {
		MqttConnectReturnCode code = (version == MQTT_5) ? MqttConnectReturnCode.CONNECTION_REFUSED_QUOTA_EXCEEDED
				: MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE;
		return MqttMessageBuilders.connAck().returnCode(code).sessionPresent(false).build();
	}

	/**
	 * Returns a CONNECT with another client id.
	 * @param connect the CONNECT of a client
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
	 * @param method the method of the CONNECT
	 * @return a new packet
	 */
	public static MqttMessage authenticated(String method) {
		MqttProperties properties = new MqttProperties();
		properties.add(new StringProperty(MqttProperties.AUTHENTICATION_METHOD, method));
		return new MqttMessage(header(MqttMessageType.AUTH),
				new MqttReasonCodeAndPropertiesVariableHeader((byte) 0, properties));
	}

	/**
	 * Returns a PUBACK or PUBREC.
	 * @param version protocol level of the client
	 * @param qos QoS level of the acknowledged message, 1 or 2
	 * @param packetId packet identifier
	 * @param reasonCode reason code, ignored before MQTT 5
	 * @return a new packet
	 */
	public static MqttMessage acknowledgment(int version, int qos, int packetId, int reasonCode) {
		MqttMessageType type = (qos == 2) ? MqttMessageType.PUBREC : MqttMessageType.PUBACK;
		MqttMessageIdVariableHeader variableHeader = (version == MQTT_5)
				? new MqttPubReplyMessageVariableHeader(packetId, (byte) reasonCode, MqttProperties.NO_PROPERTIES)
				: MqttMessageIdVariableHeader.from(packetId);
		return new MqttMessage(header(type), variableHeader);
	}

	/**
	 * Returns a DISCONNECT of MQTT 5.
	 * @param reasonCode reason code
	 * @param reason reason string
	 * @return a new packet
	 */
	public static MqttMessage disconnect(int reasonCode, String reason) {
		MqttProperties properties = new MqttProperties();
		properties.add(new StringProperty(MqttProperties.REASON_STRING, reason));
		return new MqttMessage(header(MqttMessageType.DISCONNECT),
				new MqttReasonCodeAndPropertiesVariableHeader((byte) reasonCode, properties));
	}

	/**
	 * Returns a PINGREQ.
	 * @return a new packet
	 */
	public static MqttMessage pingRequest() {
		return new MqttMessage(header(MqttMessageType.PINGREQ));
	}

	/**
	 * Creates a PUBCOMP.
	 * @param packetId packet identifier
	 * @return the packet
	 */
	public static MqttMessage pubcomp(int packetId) {
		return new MqttMessage(header(MqttMessageType.PUBCOMP), MqttMessageIdVariableHeader.from(packetId));
	}

	/**
	 * Creates a PUBREL.
	 * @param packetId packet identifier
	 * @param reasonCode reason code
	 * @param mqtt5 whether the client uses MQTT 5
	 * @return the packet
	 */
	public static MqttMessage pubrel(int packetId, int reasonCode, boolean mqtt5) {
		MqttFixedHeader header = new MqttFixedHeader(MqttMessageType.PUBREL, false, MqttQoS.AT_LEAST_ONCE, false, 0);
		return new MqttMessage(header,
				mqtt5 ? new MqttPubReplyMessageVariableHeader(packetId, (byte) reasonCode, MqttProperties.NO_PROPERTIES)
						: MqttMessageIdVariableHeader.from(packetId));
	}

	private static MqttFixedHeader header(MqttMessageType type) {
		return new MqttFixedHeader(type, false, MqttQoS.AT_MOST_ONCE, false, 0);
	}

	/**
	 * Returns the packet identifier.
	 * @param message a packet of a type that has one
	 * @return the identifier, 1 to 65,535
	 */
	public static int packetId(MqttMessage message) {
		return ((MqttMessageIdVariableHeader) message.variableHeader()).messageId();
	}

	/**
	 * Returns whether a PUBREC refuses the message.
	 * @param message a PUBREC
	 * @return whether its reason code is a failure
	 */
	public static boolean isFailure(MqttMessage message) {
		return message.variableHeader() instanceof MqttPubReplyMessageVariableHeader header && header.reasonCode() < 0;
	}

	/**
	 * Returns the value of a property.
	 * @param <T> type of the value
	 * @param properties the properties of a packet
	 * @param type type of the property
	 * @param valueType type of the value
	 * @return the value, or {@code null} if the property is absent
	 */
	public static <T> @Nullable T property(MqttProperties properties, int type, Class<T> valueType) {
		MqttProperty<?> property = properties.getProperty(type);
		return (property != null) ? valueType.cast(property.value()) : null;
	}

	/**
	 * Returns the value of a property that is an unsigned number.
	 * @param properties the properties of a packet
	 * @param type type of the property
	 * @param absent the value of an absent property
	 * @return the value
	 */
	public static long interval(MqttProperties properties, int type, long absent) {
		Integer value = property(properties, type, Integer.class);
		return (value != null) ? Integer.toUnsignedLong(value) : absent;
	}

}
