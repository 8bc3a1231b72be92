package io.statestore.broker.packet;

import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttVersion;
import org.jspecify.annotations.Nullable;

/** Making and reading of small MQTT packets. */
public final class Packets {

	/** The protocol level of MQTT 5. */
	public static final int MQTT_5 = MqttVersion.MQTT_5.protocolLevel();

	private Packets() {
	}

	/**
	 * Returns the CONNACK for a client for which there is no memory.
	 * @param version protocol level of the client
	 * @return the packet, with the reason code Quota exceeded for MQTT 5
	 */
	public static MqttMessage refusalForMemory(int version) {
		MqttConnectReturnCode code = (version == MQTT_5) ? MqttConnectReturnCode.CONNECTION_REFUSED_QUOTA_EXCEEDED
				: MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE;
		return MqttMessageBuilders.connAck().returnCode(code).sessionPresent(false).build();
	}

	/** A PUBACK or PUBREC; before MQTT 5 they carry no reason. */
	public static MqttMessage acknowledgement(int version, int qos, int packetId, int reasonCode) {
		MqttMessageType type = (qos == 2) ? MqttMessageType.PUBREC : MqttMessageType.PUBACK;
		MqttMessageIdVariableHeader variableHeader = (version == MQTT_5)
				? new MqttPubReplyMessageVariableHeader(packetId, (byte) reasonCode, MqttProperties.NO_PROPERTIES)
				: MqttMessageIdVariableHeader.from(packetId);
		return new MqttMessage(header(type), variableHeader);
	}

	public static MqttMessage disconnect(int reasonCode, String reason) {
		MqttProperties properties = new MqttProperties();
		properties.add(new StringProperty(MqttPropertyType.REASON_STRING.value(), reason));
		return new MqttMessage(header(MqttMessageType.DISCONNECT),
				new MqttReasonCodeAndPropertiesVariableHeader((byte) reasonCode, properties));
	}

	public static MqttMessage pingRequest() {
		return new MqttMessage(header(MqttMessageType.PINGREQ));
	}

	private static MqttFixedHeader header(MqttMessageType type) {
		return new MqttFixedHeader(type, false, MqttQoS.AT_MOST_ONCE, false, 0);
	}

	public static int packetId(MqttMessage message) {
		return ((MqttMessageIdVariableHeader) message.variableHeader()).messageId();
	}

	/** Whether a PUBREC tells that the client does not want the message. */
	public static boolean isFailure(MqttMessage message) {
		return message.variableHeader() instanceof MqttPubReplyMessageVariableHeader header && header.reasonCode() < 0;
	}

	public static <T> @Nullable T property(MqttProperties properties, MqttPropertyType type, Class<T> valueType) {
		MqttProperty<?> property = properties.getProperty(type.value());
		return (property != null) ? valueType.cast(property.value()) : null;
	}

}
