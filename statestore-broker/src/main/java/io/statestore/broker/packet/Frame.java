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
		int index = this.header.headerLength() + bytesBeforeProperties();
		VariableByteInteger size = VariableByteInteger.read(this.bytes, index, this.bytes.writerIndex());
		return (size != null) ? size.value() : 0;
	}

	private int bytesBeforeProperties() {
		if (this.header.type() == 0) {
			return this.header.remainingLength();
		}
		return switch (MqttMessageType.valueOf(this.header.type())) {
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
