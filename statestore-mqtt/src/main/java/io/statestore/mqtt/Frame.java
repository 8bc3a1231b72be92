package io.statestore.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttVersion;

/**
 * A complete, undecoded MQTT packet other than PUBLISH. Its content may be malformed.
 *
 * @param header the packet's fixed header
 * @param bytes all bytes of the packet, including the header
 */
public record Frame(FrameHeader header, ByteBuf bytes) {

	private static final int MQTT_5 = MqttVersion.MQTT_5.protocolLevel();

	private static final int WILL_FLAG = 4;

	private static final int CONNECT_LEVEL_FLAGS_AND_KEEP_ALIVE = 4;

	/**
	 * Returns whether a CONNECT has the protocol level of MQTT 5.
	 * @return whether the protocol level is 5
	 */
	public boolean isMqtt5() {
		int level = stringEnd(this.header.headerLength());
		return level < this.bytes.writerIndex() && this.bytes.getByte(level) == MQTT_5;
	}

	/**
	 * Returns the property length of an MQTT 5 packet.
	 * @return the length, or a negative number if the packet has no properties
	 * @throws DecoderException if the length is malformed
	 */
	public int propertiesSize() {
		return VariableByteInteger.read(this.bytes.readerIndex(propertiesIndex()));
	}

	/**
	 * Arranges the properties of an MQTT 5 packet so that Netty decodes all of them.
	 * @throws DecoderException if the properties are malformed
	 * @throws IndexOutOfBoundsException if the packet ends early
	 */
	public void arrangeProperties() {
		int index = propertiesIndex();
		if (index < this.bytes.writerIndex()) {
			int end = arrange(index);
			if (this.header.type() == MqttMessageType.CONNECT.value() && hasWill(index)) {
				arrange(stringEnd(end));
			}
		}
	}

	/**
	 * Returns whether a CONNECT has a will, whose properties precede its topic.
	 */
	private boolean hasWill(int propertiesIndex) {
		return (this.bytes.getByte(propertiesIndex - 3) & WILL_FLAG) != 0;
	}

	/**
	 * Returns the index of the property length, or of the packet's end if there is none.
	 */
	private int propertiesIndex() {
		int start = this.header.headerLength();
		int end = this.bytes.writerIndex();
		if (this.header.type() == 0) {
			return end;
		}
		return Math.min(end, switch (MqttMessageType.valueOf(this.header.type())) {
			case CONNECT -> stringEnd(start) + CONNECT_LEVEL_FLAGS_AND_KEEP_ALIVE;
			case PUBACK, PUBREC, PUBREL, PUBCOMP -> start + 3;
			case CONNACK, SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK -> start + 2;
			case DISCONNECT, AUTH -> start + 1;
			default -> end;
		});
	}

	private int stringEnd(int start) {
		return start + 2 + unsignedShort(start);
	}

	private int unsignedShort(int index) {
		return (index + 2 <= this.bytes.writerIndex()) ? this.bytes.getUnsignedShort(index) : 0;
	}

	/**
	 * Arranges properties and checks that they end where their length says.
	 * <p>
	 * Netty 4.2's decoder counts the bytes of the property length field as properties
	 * that it has read. If the last properties are not longer than this field, the
	 * decoder stops before them and reads them as the beginning of the payload. Such
	 * properties are therefore moved to the front. User properties are never that short,
	 * so they keep their order.
	 * @return the index after the properties
	 */
	private int arrange(int index) {
		this.bytes.readerIndex(index);
		int size = VariableByteInteger.read(this.bytes);
		if (size == VariableByteInteger.INCOMPLETE) {
			throw new DecoderException("The property length is incomplete");
		}
		int sizeLength = this.bytes.readerIndex() - index;
		ByteBuf properties = this.bytes.readSlice(size);
		int longEnd = 0;
		for (int position = 0; position < size; position = properties.readerIndex()) {
			skipProperty(properties);
			if (properties.readerIndex() - position > sizeLength) {
				longEnd = properties.readerIndex();
			}
		}
		if (longEnd == 0 && size > 0) {
			throw new DecoderException("Only repeated properties are this short and this many");
		}
		if (longEnd < size) {
			byte[] copy = ByteBufUtil.getBytes(properties, 0, size);
			properties.setBytes(0, copy, longEnd, size - longEnd);
			properties.setBytes(size - longEnd, copy, 0, longEnd);
		}
		return this.bytes.readerIndex();
	}

	private static void skipProperty(ByteBuf properties) {
		int identifier = properties.readUnsignedByte();
		switch (identifier) {
			case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A -> properties.skipBytes(1);
			case 0x13, 0x21, 0x22, 0x23 -> properties.skipBytes(2);
			case 0x02, 0x11, 0x18, 0x27 -> properties.skipBytes(4);
			case 0x0B -> {
				if (VariableByteInteger.read(properties) == VariableByteInteger.INCOMPLETE) {
					throw new DecoderException("A property is incomplete");
				}
			}
			case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F -> skipString(properties);
			case 0x26 -> {
				skipString(properties);
				skipString(properties);
			}
			default -> throw new DecoderException("Unknown property " + identifier);
		}
	}

	private static void skipString(ByteBuf properties) {
		properties.skipBytes(properties.readUnsignedShort());
	}

}
