package io.statestore.test;

/** An MQTT packet, received or to be sent. */
public abstract class RawPacket {

	/** Protocol version of MQTT 5 in a CONNECT packet. */
	public static final int MQTT_5 = 5;

	/** Protocol version of MQTT 3.1.1 in a CONNECT packet. */
	public static final int MQTT_3_1_1 = 4;

	private final PacketType type;

	RawPacket(PacketType type) {
		this.type = type;
	}

	/**
	 * Returns the packet type.
	 * @return type in the first byte of the packet
	 */
	public PacketType type() {
		return this.type;
	}

	/**
	 * Encodes this packet.
	 * @param version MQTT version on the connection
	 * @return bytes of the packet, including its header
	 */
	public abstract byte[] encode(int version);

}
