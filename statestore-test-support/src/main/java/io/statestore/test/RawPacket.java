package io.statestore.test;

/** An MQTT packet that was received, or is to be sent. */
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
	 * Returns the type of the packet.
	 * @return the type
	 */
	public PacketType type() {
		return this.type;
	}

	/**
	 * Returns the bytes of the packet.
	 * @param version version of MQTT on the connection
	 * @return the bytes
	 */
	public abstract byte[] encode(int version);

}
