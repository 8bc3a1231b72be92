package io.statestore.broker.packet;

import java.util.Collection;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A message of the state store as an MQTT 5 PUBLISH (MQTT 5 section 3.3) that has no
 * packet identifier yet. Encodes itself without an object for each property.
 * <p>
 * Internal: not part of the API.
 *
 * @param message the reply or notification
 * @param qos QoS level, 0 or 1
 * @param subscriptionIdentifiers identifiers of the subscriptions that it matches
 * @param expirySeconds time in seconds for which a broker keeps it for a receiver that is
 * not connected, 0 without a limit
 * @param retain whether the broker retains it
 */
public record OwnPublish(OutgoingMessage message, int qos, Collection<Integer> subscriptionIdentifiers,
		int expirySeconds, boolean retain) {

	/** Content type of all messages of the state store. */
	public static final String CONTENT_TYPE = "application/octet-stream";

	private static final int DUP = 1 << 3;

	private static final int RETAIN = 1;

	/** Size of the length field of a string or binary value. */
	private static final int LENGTH = 2;

	/**
	 * Creates a message that does not expire and is not retained.
	 * @param message the reply or notification
	 * @param qos QoS level, 0 or 1
	 * @param subscriptionIdentifiers identifiers of the subscriptions that it matches
	 */
	public OwnPublish(OutgoingMessage message, int qos, Collection<Integer> subscriptionIdentifiers) {
		this(message, qos, subscriptionIdentifiers, 0, false);
	}

	/**
	 * Returns this message in at most a number of bytes, without its trace context if
	 * necessary.
	 * @param maxSize maximum packet size of the receiver
	 * @return the message, {@code null} if it is too large in any case
	 */
	public @Nullable OwnPublish within(long maxSize) {
		if (size() <= maxSize) {
			return this;
		}
		OwnPublish smaller = new OwnPublish(this.message.withoutTraceContext(), this.qos, this.subscriptionIdentifiers,
				this.expirySeconds, this.retain);
		return (smaller.size() <= maxSize) ? smaller : null;
	}

	/**
	 * Encodes the packet.
	 * @param allocator allocates the buffer
	 * @param packetId packet identifier, ignored with QoS 0
	 * @param repeated whether it was sent before, on an earlier connection
	 * @return the complete packet
	 */
	public ByteBuf encode(ByteBufAllocator allocator, int packetId, boolean repeated) {
		long properties = propertiesLength();
		long remaining = remainingLength(properties);
		ByteBuf packet = allocator.buffer((int) (1 + VariableByteInteger.lengthOf(remaining) + remaining));
		packet.writeByte(MqttMessageType.PUBLISH.value() << 4 | (repeated ? DUP : 0) | this.qos << 1
				| (this.retain ? RETAIN : 0));
		VariableByteInteger.write(packet, remaining);
		writeText(packet, this.message.topic());
		if (this.qos > 0) {
			packet.writeShort(packetId);
		}
		VariableByteInteger.write(packet, properties);
		writeProperties(packet);
		return packet.writeBytes(this.message.payload());
	}

	/**
	 * Returns the properties, as they are in the packet.
	 * @return a new array
	 */
	public byte[] properties() {
		ByteBuf properties = Unpooled.buffer((int) propertiesLength());
		writeProperties(properties);
		return ByteBufUtil.getBytes(properties);
	}

	private void writeProperties(ByteBuf packet) {
		packet.writeByte(MqttProperties.PAYLOAD_FORMAT_INDICATOR).writeByte(0);
		// Not last: Netty 4.2 skips a final property of two bytes if all take 128 bytes.
		for (int identifier : this.subscriptionIdentifiers) {
			packet.writeByte(MqttProperties.SUBSCRIPTION_IDENTIFIER);
			VariableByteInteger.write(packet, identifier);
		}
		packet.writeByte(MqttProperties.CONTENT_TYPE);
		writeText(packet, CONTENT_TYPE);
		if (this.expirySeconds > 0) {
			packet.writeByte(MqttProperties.PUBLICATION_EXPIRY_INTERVAL).writeInt(this.expirySeconds);
		}
		Bytes correlationData = this.message.correlationData();
		if (correlationData != null) {
			packet.writeByte(MqttProperties.CORRELATION_DATA);
			packet.writeShort(correlationData.length()).writeBytes(correlationData.toArray());
		}
		for (UserProperty property : this.message.userProperties()) {
			packet.writeByte(MqttProperties.USER_PROPERTY);
			writeText(packet, property.name());
			writeText(packet, property.value());
		}
	}

	private static void writeText(ByteBuf packet, String text) {
		int start = packet.writerIndex();
		packet.writeShort(0);
		packet.setShort(start, ByteBufUtil.writeUtf8(packet, text));
	}

	/**
	 * Returns the size of the packet, to be compared with the maximum of the receiver.
	 * @return size in bytes
	 */
	public long size() {
		long remaining = remainingLength(propertiesLength());
		return 1 + VariableByteInteger.lengthOf(remaining) + remaining;
	}

	private long remainingLength(long properties) {
		return LENGTH + ByteBufUtil.utf8Bytes(this.message.topic()) + ((this.qos > 0) ? 2 : 0)
				+ VariableByteInteger.lengthOf(properties) + properties + this.message.payload().length;
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
			length += 1 + VariableByteInteger.lengthOf(identifier);
		}
		return length;
	}

}
