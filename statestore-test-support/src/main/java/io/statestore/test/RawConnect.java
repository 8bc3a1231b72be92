package io.statestore.test;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** A CONNECT packet, by default for MQTT 5 with clean start and a keep-alive of 60 s. */
public final class RawConnect extends RawPacket {

	private final String clientId;

	private final List<RawProperty> properties;

	private int version = MQTT_5;

	private boolean cleanStart = true;

	private int keepAliveSeconds = 60;

	private @Nullable String user;

	private @Nullable String password;

	private @Nullable RawPublish will;

	private RawConnect(String clientId, List<RawProperty> properties) {
		super(PacketType.CONNECT);
		this.clientId = clientId;
		this.properties = properties;
	}

	/**
	 * Creates a CONNECT packet.
	 * @param clientId client ID, empty to let the server assign one
	 * @param properties MQTT 5 properties; ignored for MQTT 3.1.1
	 * @return a packet that its methods modify
	 */
	public static RawConnect of(String clientId, RawProperty... properties) {
		return new RawConnect(clientId, List.of(properties));
	}

	/**
	 * Sets the MQTT version.
	 * @param version {@link RawPacket#MQTT_5} or {@link RawPacket#MQTT_3_1_1}
	 * @return this packet
	 */
	public RawConnect version(int version) {
		this.version = version;
		return this;
	}

	/**
	 * Sets whether an earlier session ends.
	 * @param cleanStart {@code true} to end it, {@code false} to continue it
	 * @return this packet
	 */
	public RawConnect cleanStart(boolean cleanStart) {
		this.cleanStart = cleanStart;
		return this;
	}

	/**
	 * Sets the keep-alive.
	 * @param seconds keep-alive in seconds, 0 to disable it
	 * @return this packet
	 */
	public RawConnect keepAlive(int seconds) {
		this.keepAliveSeconds = seconds;
		return this;
	}

	/**
	 * Sets the login.
	 * @param user user name, or {@code null} for none
	 * @param password password, or {@code null} for none
	 * @return this packet
	 */
	public RawConnect login(@Nullable String user, @Nullable String password) {
		this.user = user;
		this.password = password;
		return this;
	}

	/**
	 * Sets the will.
	 * @param will message that the broker publishes if the connection ends unexpectedly
	 * @return this packet
	 */
	public RawConnect will(RawPublish will) {
		this.will = will;
		return this;
	}

	/**
	 * Sets a one-byte will at QoS 1.
	 * @param topic topic of the will
	 * @return this packet
	 */
	public RawConnect will(String topic) {
		return will(RawPublish.of((will) -> {
			will.topic = topic;
			will.payload = new byte[] { 1 };
		}));
	}

	int version() {
		return this.version;
	}

	/** Returns the packet's bytes, in the packet's own MQTT version. */
	@Override
	public byte[] encode(int ignoredVersion) {
		return PacketWriter.packet(type().header(), (out) -> {
			out.text("MQTT").u8(this.version).u8(flags()).u16(this.keepAliveSeconds);
			writeProperties(out, this.properties);
			out.text(this.clientId);
			if (this.will != null) {
				writeProperties(out, this.will.properties());
				out.text(this.will.topic).binary(this.will.payload);
			}
			if (this.user != null) {
				out.text(this.user);
			}
			if (this.password != null) {
				out.text(this.password);
			}
		});
	}

	private void writeProperties(PacketWriter out, List<RawProperty> properties) {
		if (this.version == MQTT_5) {
			RawProperty.writeAll(out, properties);
		}
	}

	private int flags() {
		int flags = this.cleanStart ? 2 : 0;
		if (this.will != null) {
			flags |= 4 | this.will.qos << 3 | (this.will.retain ? 0x20 : 0);
		}
		return flags | ((this.user != null) ? 0x80 : 0) | ((this.password != null) ? 0x40 : 0);
	}

}
