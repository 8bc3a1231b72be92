package io.statestore.broker.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.mqtt.MqttMessageType;

/**
 * A complete MQTT packet that is not decoded. Its content may be malformed.
 *
 * @param header fixed header of the packet
 * @param bytes all bytes of the packet, with the header
 */
record Frame(FrameHeader header, ByteBuf bytes) {

	private static final int MALFORMED = -1;

	private static final int WILL_FLAG = 4;

	private static final int CONNECT_LEVEL_FLAGS_AND_KEEP_ALIVE = 4;

	/** Returns whether a CONNECT has the protocol level of MQTT 5. */
	boolean isMqtt5() {
		int nameLength = unsignedShort(this.header.headerLength());
		int level = this.header.headerLength() + 2 + nameLength;
		return level < this.bytes.writerIndex() && this.bytes.getByte(level) == Packets.MQTT_5;
	}

	/**
	 * Returns the property length of an MQTT 5 packet. It is 0 for a packet without
	 * properties, and for a malformed one that the decoder will refuse.
	 */
	int propertiesSize() {
		VariableByteInteger size = VariableByteInteger.read(this.bytes, propertiesIndex(), this.bytes.writerIndex());
		return (size != null) ? size.value() : 0;
	}

	/**
	 * Arranges the properties of an MQTT 5 packet for the decoder.
	 * @return whether they are well-formed
	 * @see PropertyBlock#arrange()
	 */
	boolean arrangeProperties() {
		int index = propertiesIndex();
		if (index >= this.bytes.writerIndex()) {
			return true;
		}
		int end = arrange(index);
		if (end < 0 || this.header.type() != MqttMessageType.CONNECT.value() || !hasWill(index)) {
			return end >= 0;
		}
		int clientIdEnd = end + 2 + unsignedShort(end);
		return clientIdEnd < this.bytes.writerIndex() && arrange(clientIdEnd) >= 0;
	}

	/**
	 * Returns whether a CONNECT has a will, of which the properties precede the topic.
	 */
	private boolean hasWill(int propertiesIndex) {
		return (this.bytes.getByte(propertiesIndex - 3) & WILL_FLAG) != 0;
	}

	private int propertiesIndex() {
		return this.header.headerLength() + bytesBeforeProperties();
	}

	private int bytesBeforeProperties() {
		if (this.header.type() == 0) {
			return this.header.remainingLength();
		}
		return switch (MqttMessageType.valueOf(this.header.type())) {
			case CONNECT -> 2 + unsignedShort(this.header.headerLength()) + CONNECT_LEVEL_FLAGS_AND_KEEP_ALIVE;
			case PUBLISH -> 2 + unsignedShort(this.header.headerLength()) + ((this.header.qos() > 0) ? 2 : 0);
			case PUBACK, PUBREC, PUBREL, PUBCOMP -> 3;
			case CONNACK, SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK -> 2;
			case DISCONNECT, AUTH -> 1;
			default -> this.header.remainingLength();
		};
	}

	/** Returns the packet identifier of a PUBLISH, 0 without one. */
	int packetId() {
		int index = this.header.headerLength() + 2 + unsignedShort(this.header.headerLength());
		return (this.header.qos() > 0) ? unsignedShort(index) : 0;
	}

	private int unsignedShort(int index) {
		return (index + 2 <= this.bytes.writerIndex()) ? this.bytes.getUnsignedShort(index) : 0;
	}

	/**
	 * Arranges the properties so that Netty decodes all of them, and checks that they end
	 * where their length says.
	 * <p>
	 * The decoder of Netty 4.2 counts the bytes of the property length as properties that
	 * it has read. It stops before last properties that are not longer than the property
	 * length, and reads them as the beginning of the payload. Such properties therefore
	 * move to the front. User properties are never that short, so they keep their order.
	 * @return the index after the properties, or -1 if they are malformed
	 */
	private int arrange(int index) {
		VariableByteInteger size = VariableByteInteger.read(this.bytes, index, this.bytes.writerIndex());
		if (size == null || size == VariableByteInteger.INCOMPLETE) {
			return MALFORMED;
		}
		int start = index + size.length();
		int end = start + size.value();
		if (end > this.bytes.writerIndex()) {
			return MALFORMED;
		}
		int longEnd = start;
		for (int position = start; position < end;) {
			int next = propertyEnd(position, end);
			if (next == MALFORMED) {
				return MALFORMED;
			}
			if (next - position > size.length()) {
				longEnd = next;
			}
			position = next;
		}
		if (longEnd == end) {
			return end;
		}
		// Short properties alone take this many bytes only if they are repeated.
		if (longEnd == start) {
			return MALFORMED;
		}
		byte[] properties = ByteBufUtil.getBytes(this.bytes, start, end - start);
		this.bytes.setBytes(start, properties, longEnd - start, end - longEnd);
		this.bytes.setBytes(start + end - longEnd, properties, 0, longEnd - start);
		return end;
	}

	/** Returns the index after a property, or -1 if it is malformed. */
	private int propertyEnd(int position, int end) {
		int content = position + 1;
		int next = switch (this.bytes.getUnsignedByte(position)) {
			case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A -> content + 1;
			case 0x13, 0x21, 0x22, 0x23 -> content + 2;
			case 0x02, 0x11, 0x18, 0x27 -> content + 4;
			case 0x0B -> numberEnd(content, end);
			case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F -> stringEnd(content, end);
			case 0x26 -> stringEnd(stringEnd(content, end), end);
			default -> MALFORMED;
		};
		return (next <= end) ? next : MALFORMED;
	}

	private int numberEnd(int position, int end) {
		VariableByteInteger number = VariableByteInteger.read(this.bytes, position, end);
		return (number != null && number != VariableByteInteger.INCOMPLETE) ? position + number.length() : MALFORMED;
	}

	private int stringEnd(int position, int end) {
		return (position != MALFORMED && position + 2 <= end) ? position + 2 + this.bytes.getUnsignedShort(position)
				: MALFORMED;
	}

}
