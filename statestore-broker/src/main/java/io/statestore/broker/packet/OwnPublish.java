package io.statestore.broker.packet;

import java.util.Collection;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttPublishVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;

/**
 * A reply or notification as an MQTT 5 PUBLISH that has no packet id yet.
 *
 * @param message what to send
 * @param qos 1, or 0 where the client subscribed to no more
 * @param subscriptionIdentifiers of the subscriptions it matches
 * @param expirySeconds how long a broker may keep it for a receiver that is away, 0 for
 * ever
 * @param retain whether the broker retains it
 */
public record OwnPublish(OutgoingMessage message, int qos, Collection<Integer> subscriptionIdentifiers,
		int expirySeconds, boolean retain) {

	/** The content type of everything the state store sends. */
	public static final String CONTENT_TYPE = "application/octet-stream";

	/** Length field of a string or binary value. */
	private static final int LENGTH = 2;

	/** A message that waits for its receiver as long as it takes. */
	public OwnPublish(OutgoingMessage message, int qos, Collection<Integer> subscriptionIdentifiers) {
		this(message, qos, subscriptionIdentifiers, 0);
	}

	/** A message that a broker does not retain. */
	public OwnPublish(OutgoingMessage message, int qos, Collection<Integer> subscriptionIdentifiers,
			int expirySeconds) {
		this(message, qos, subscriptionIdentifiers, expirySeconds, false);
	}

	/**
	 * Encodes the packet (MQTT 5 section 3.3), without the objects that {@link #toPacket}
	 * creates for each property.
	 * @param allocator allocates the buffer
	 * @param packetId packet identifier, ignored with QoS 0
	 * @return the complete packet
	 */
	public ByteBuf encode(ByteBufAllocator allocator, int packetId) {
		long properties = propertiesLength();
		long remaining = remainingLength(properties);
		ByteBuf packet = allocator.buffer((int) (1 + variableLength(remaining) + remaining));
		packet.writeByte(MqttMessageType.PUBLISH.value() << 4 | this.qos << 1 | (this.retain ? 1 : 0));
		writeVariableLength(packet, remaining);
		writeText(packet, this.message.topic());
		if (this.qos > 0) {
			packet.writeShort(packetId);
		}
		writeVariableLength(packet, properties);
		writeProperties(packet);
		return packet.writeBytes(this.message.payload());
	}

	private void writeProperties(ByteBuf packet) {
		packet.writeByte(MqttPropertyType.PAYLOAD_FORMAT_INDICATOR.value()).writeByte(0);
		// Not last: Netty skips a last property of two bytes if all together take 128.
		for (int identifier : this.subscriptionIdentifiers) {
			packet.writeByte(MqttPropertyType.SUBSCRIPTION_IDENTIFIER.value());
			writeVariableLength(packet, identifier);
		}
		packet.writeByte(MqttPropertyType.CONTENT_TYPE.value());
		writeText(packet, CONTENT_TYPE);
		if (this.expirySeconds > 0) {
			packet.writeByte(MqttPropertyType.PUBLICATION_EXPIRY_INTERVAL.value()).writeInt(this.expirySeconds);
		}
		Bytes correlationData = this.message.correlationData();
		if (correlationData != null) {
			packet.writeByte(MqttPropertyType.CORRELATION_DATA.value());
			packet.writeShort(correlationData.length()).writeBytes(correlationData.toArray());
		}
		for (UserProperty property : this.message.userProperties()) {
			packet.writeByte(MqttPropertyType.USER_PROPERTY.value());
			writeText(packet, property.name());
			writeText(packet, property.value());
		}
	}

	private static void writeText(ByteBuf packet, String text) {
		int start = packet.writerIndex();
		packet.writeShort(0);
		packet.setShort(start, ByteBufUtil.writeUtf8(packet, text));
	}

	private static void writeVariableLength(ByteBuf packet, long number) {
		long rest = number;
		while (rest > 0x7F) {
			packet.writeByte((int) (rest & 0x7F | 0x80));
			rest >>>= 7;
		}
		packet.writeByte((int) rest);
	}

	/** The packet with an id, sent for the first time. */
	public MqttPublishMessage toPacket(int packetId) {
		return toPacket(packetId, false);
	}

	/** The packet with an id, maybe not for the first time. */
	public MqttPublishMessage toPacket(int packetId, boolean again) {
		MqttFixedHeader header = new MqttFixedHeader(MqttMessageType.PUBLISH, again, MqttQoS.valueOf(this.qos),
				this.retain, 0);
		return new MqttPublishMessage(header,
				new MqttPublishVariableHeader(this.message.topic(), packetId, properties()),
				Unpooled.wrappedBuffer(this.message.payload()));
	}

	private MqttProperties properties() {
		MqttProperties properties = new MqttProperties();
		properties.add(new IntegerProperty(MqttPropertyType.PAYLOAD_FORMAT_INDICATOR.value(), 0));
		properties.add(new StringProperty(MqttPropertyType.CONTENT_TYPE.value(), CONTENT_TYPE));
		if (this.expirySeconds > 0) {
			properties
				.add(new IntegerProperty(MqttPropertyType.PUBLICATION_EXPIRY_INTERVAL.value(), this.expirySeconds));
		}
		if (this.message.correlationData() != null) {
			properties.add(new BinaryProperty(MqttPropertyType.CORRELATION_DATA.value(),
					this.message.correlationData().toArray()));
		}
		for (UserProperty property : this.message.userProperties()) {
			properties.add(new MqttProperties.UserProperty(property.name(), property.value()));
		}
		for (int identifier : this.subscriptionIdentifiers) {
			properties.add(new IntegerProperty(MqttPropertyType.SUBSCRIPTION_IDENTIFIER.value(), identifier));
		}
		return properties;
	}

	/**
	 * Returns the size of the packet, to be compared with the maximum of the client.
	 * @return bytes
	 */
	public long size() {
		long remaining = remainingLength(propertiesLength());
		return 1 + variableLength(remaining) + remaining;
	}

	private long remainingLength(long properties) {
		return LENGTH + ByteBufUtil.utf8Bytes(this.message.topic()) + ((this.qos > 0) ? 2 : 0)
				+ variableLength(properties) + properties + this.message.payload().length;
	}

	private long propertiesLength() {
		long length = 2 + 1 + LENGTH + CONTENT_TYPE.length() + ((this.expirySeconds > 0) ? 1 + 4 : 0);
		Bytes correlationData = this.message.correlationData();
		if (correlationData != null) {
			length += 1 + LENGTH + correlationData.length();
		}
		for (UserProperty property : this.message.userProperties()) {
			length += 1 + LENGTH + ByteBufUtil.utf8Bytes(property.name()) + LENGTH
					+ ByteBufUtil.utf8Bytes(property.value());
		}
		for (int identifier : this.subscriptionIdentifiers) {
			length += 1 + variableLength(identifier);
		}
		return length;
	}

	private static int variableLength(long number) {
		int length = 1;
		for (long rest = number >>> 7; rest > 0; rest >>>= 7) {
			length++;
		}
		return length;
	}

}
