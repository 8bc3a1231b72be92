package io.statestore.broker.packet;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttMessageType;

/**
 * A complete MQTT packet that is not decoded. Its content may be malformed.
 *
 * @param header fixed header of the packet
 * @param bytes all bytes of the packet, with the header
 */
record Frame(FrameHeader header, ByteBuf bytes) {

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
		int end = new PropertyBlock(this.bytes, index).arrange();
		if (end < 0 || this.header.type() != MqttMessageType.CONNECT.value() || !hasWill(index)) {
			return end >= 0;
		}
		int clientIdEnd = end + 2 + unsignedShort(end);
		return clientIdEnd < this.bytes.writerIndex() && new PropertyBlock(this.bytes, clientIdEnd).arrange() >= 0;
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

}
