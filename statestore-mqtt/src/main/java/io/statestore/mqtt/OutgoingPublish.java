package io.statestore.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttMessageType;

/**
 * A message to publish, which has no packet identifier yet (MQTT 5 section 3.3). Encodes
 * itself without an object for each property.
 */
public interface OutgoingPublish {

	/**
	 * Returns the topic.
	 * @return a topic name
	 */
	String topic();

	/**
	 * Returns the quality of service.
	 * @return 0 or 1
	 */
	int qos();

	/**
	 * Returns whether the broker retains the message.
	 * @return whether the broker retains it
	 */
	boolean retain();

	/**
	 * Returns the payload.
	 * @return the bytes, not copied
	 */
	byte[] content();

	/**
	 * Returns the encoded size of all properties.
	 * @return number of bytes, without the property length
	 */
	int propertiesSize();

	/**
	 * Writes all properties.
	 * @param out receives {@link #propertiesSize()} bytes
	 */
	void writeProperties(ByteBuf out);

	/**
	 * Returns the size of the packet, to be compared with the maximum of the receiver.
	 * @return size in bytes
	 */
	default long size() {
		long remaining = remainingLength(propertiesSize());
		return 1 + VariableByteInteger.lengthOf(remaining) + remaining;
	}

	/**
	 * Writes the packet.
	 * @param out receives {@link #size()} bytes
	 * @param packetId packet identifier, without effect with QoS 0
	 * @param repeated whether it was sent before, on an earlier connection
	 */
	default void write(ByteBuf out, int packetId, boolean repeated) {
		int properties = propertiesSize();
		out.writeByte(MqttMessageType.PUBLISH.value() << 4 | (repeated ? 1 << 3 : 0) | qos() << 1 | (retain() ? 1 : 0));
		VariableByteInteger.write(out, remainingLength(properties));
		Properties.write(out, topic());
		if (qos() > 0) {
			out.writeShort(packetId);
		}
		VariableByteInteger.write(out, properties);
		writeProperties(out);
		out.writeBytes(content());
	}

	private long remainingLength(int properties) {
		return (long) Properties.size(topic()) + ((qos() > 0) ? 2 : 0) + VariableByteInteger.lengthOf(properties)
				+ properties + content().length;
	}

}
