package io.statestore.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttMessageType;

/**
 * A message to publish that does not have a packet identifier yet (MQTT 5 section 3.3).
 * Encodes itself without creating an object per property.
 */
public abstract class OutgoingPublish {

	/** Properties size for MQTT 3.1.1 packets, which do not have properties. */
	protected static final int NO_PROPERTIES = -1;

	private final String topic;

	private final int qos;

	private final boolean retain;

	private final byte[] content;

	private final int propertiesSize;

	private final long remainingLength;

	/**
	 * Creates a message.
	 * @param topic a topic name of valid length
	 * @param qos quality of service, 0 to 2
	 * @param retain the RETAIN flag: whether the receiver must retain the message, or the
	 * sender has retained it
	 * @param content the payload, which is not copied
	 * @param propertiesSize number of bytes that {@link #writeProperties} writes, or
	 * {@link #NO_PROPERTIES}
	 */
	protected OutgoingPublish(String topic, int qos, boolean retain, byte[] content, int propertiesSize) {
		this.topic = topic;
		this.qos = qos;
		this.retain = retain;
		this.content = content;
		this.propertiesSize = propertiesSize;
		this.remainingLength = (long) Properties.size(topic) + ((qos > 0) ? 2 : 0) + ((propertiesSize != NO_PROPERTIES)
				? VariableByteInteger.lengthOf(propertiesSize) + propertiesSize : 0) + content.length;
	}

	/**
	 * Returns the topic.
	 * @return a topic name
	 */
	public final String topic() {
		return this.topic;
	}

	/**
	 * Returns the quality of service.
	 * @return 0 to 2
	 */
	public final int qos() {
		return this.qos;
	}

	/**
	 * Returns the RETAIN flag.
	 * @return whether the receiver must retain the message, or the sender has retained it
	 */
	public final boolean isRetain() {
		return this.retain;
	}

	/**
	 * Returns the size of the properties.
	 * @return number of bytes, without the property length
	 */
	protected final int propertiesSize() {
		return this.propertiesSize;
	}

	/**
	 * Writes all properties.
	 * @param out receives {@link #propertiesSize()} bytes
	 */
	protected abstract void writeProperties(ByteBuf out);

	/**
	 * Returns the size of the packet, for comparison with the receiver's maximum.
	 * @return the size in bytes
	 */
	public final long size() {
		return 1 + VariableByteInteger.lengthOf(this.remainingLength) + this.remainingLength;
	}

	/**
	 * Writes the packet.
	 * @param out receives {@link #size()} bytes
	 * @param packetId packet identifier, ignored for QoS 0
	 * @param repeated whether the message was already sent on an earlier connection
	 */
	public final void write(ByteBuf out, int packetId, boolean repeated) {
		out.writeByte(MqttMessageType.PUBLISH.value() << 4 | ((repeated && this.qos > 0) ? 1 << 3 : 0) | this.qos << 1
				| (this.retain ? 1 : 0));
		VariableByteInteger.write(out, this.remainingLength);
		Properties.write(out, this.topic);
		if (this.qos > 0) {
			out.writeShort(packetId);
		}
		if (this.propertiesSize != NO_PROPERTIES) {
			VariableByteInteger.write(out, this.propertiesSize);
			writeProperties(out);
		}
		out.writeBytes(this.content);
	}

}
