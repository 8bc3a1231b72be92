package io.statestore.test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** Any packet except PUBLISH and CONNECT. */
public final class RawControl extends RawPacket {

	/** The part of the packet that follows its length. */
	private final byte[] body;

	/** In a CONNACK, whether the session continues. */
	private boolean sessionPresent;

	private int packetId;

	private final List<Integer> reasons = new ArrayList<>();

	private List<RawProperty> properties = List.of();

	private RawControl(PacketType type, Consumer<PacketWriter> body) {
		super(type);
		PacketWriter out = new PacketWriter();
		body.accept(out);
		this.body = out.toByteArray();
	}

	RawControl(PacketType type, PacketReader in, int version) throws IOException {
		super(type);
		this.body = in.readAllBytes();
		PacketReader reader = new PacketReader(new ByteArrayInputStream(this.body));
		boolean properties = version == MQTT_5;
		switch (type()) {
			case CONNACK -> {
				this.sessionPresent = reader.readUnsignedByte() == 1;
				this.reasons.add(reader.readUnsignedByte());
				readProperties(reader, properties);
			}
			case PUBACK, PUBREC, PUBREL, PUBCOMP -> {
				this.packetId = reader.readUnsignedShort();
				this.reasons.add(reader.atEnd() ? 0 : reader.readUnsignedByte());
				readProperties(reader, properties);
			}
			case SUBACK, UNSUBACK -> {
				this.packetId = reader.readUnsignedShort();
				readProperties(reader, properties);
				while (!reader.atEnd()) {
					this.reasons.add(reader.readUnsignedByte());
				}
			}
			case DISCONNECT, AUTH -> {
				this.reasons.add(reader.atEnd() ? 0 : reader.readUnsignedByte());
				readProperties(reader, properties);
			}
			default -> {
			}
		}
	}

	private void readProperties(PacketReader reader, boolean present) throws IOException {
		if (present && !reader.atEnd()) {
			this.properties = RawProperty.readAll(reader);
		}
	}

	/**
	 * Creates an MQTT 5 DISCONNECT packet.
	 * @param reason reason code, from 0 to 255
	 * @param properties properties of the packet
	 * @return a new packet
	 */
	public static RawControl disconnect(int reason, RawProperty... properties) {
		return of(PacketType.DISCONNECT, reason, properties);
	}

	/**
	 * Creates an AUTH packet.
	 * @param reason reason code, from 0 to 255
	 * @param properties properties of the packet
	 * @return a new packet
	 */
	public static RawControl auth(int reason, RawProperty... properties) {
		return of(PacketType.AUTH, reason, properties);
	}

	private static RawControl of(PacketType type, int reason, RawProperty... properties) {
		return new RawControl(type, (out) -> {
			out.u8(reason);
			RawProperty.writeAll(out, List.of(properties));
		});
	}

	/**
	 * Creates a packet that acknowledges a message.
	 * @param type PUBACK, PUBREC, PUBREL, or PUBCOMP
	 * @param packetId packet ID of the message
	 * @return a new packet
	 */
	public static RawControl acknowledgment(PacketType type, int packetId) {
		return new RawControl(type, (out) -> out.u16(packetId));
	}

	static RawControl ping() {
		return new RawControl(PacketType.PINGREQ, (out) -> {
		});
	}

	static RawControl subscribe(int version, int packetId, List<RawProperty> properties, List<String> filters,
			int options) {
		RawControl packet = new RawControl(PacketType.SUBSCRIBE, (out) -> {
			out.u16(packetId);
			if (version == MQTT_5) {
				RawProperty.writeAll(out, properties);
			}
			filters.forEach((filter) -> out.text(filter).u8(options));
		});
		packet.packetId = packetId;
		return packet;
	}

	static RawControl unsubscribe(int version, int packetId, String filter) {
		RawControl packet = new RawControl(PacketType.UNSUBSCRIBE, (out) -> {
			out.u16(packetId);
			if (version == MQTT_5) {
				out.u8(0);
			}
			out.text(filter);
		});
		packet.packetId = packetId;
		return packet;
	}

	/**
	 * Returns the packet ID.
	 * @return the packet ID; 0 if the packet type has none
	 */
	public int packetId() {
		return this.packetId;
	}

	/**
	 * Returns whether a CONNACK continues an earlier session.
	 * @return {@code true} if the session continues
	 */
	public boolean sessionPresent() {
		return this.sessionPresent;
	}

	/**
	 * Returns the first reason code.
	 * @return a code from 0 to 255
	 */
	public int reason() {
		return this.reasons.get(0);
	}

	/**
	 * Returns the reason codes of a SUBACK or UNSUBACK.
	 * @return codes from 0 to 255, one for each filter
	 */
	public List<Integer> reasons() {
		return this.reasons;
	}

	/**
	 * Returns the value of the first property of a type.
	 * @param type property type
	 * @return the value, or {@code null} if the packet has no such property
	 */
	public @Nullable Object property(PropertyType type) {
		return RawProperty.first(this.properties, type);
	}

	/**
	 * Returns the string value of the first property of a type.
	 * @param type property type
	 * @return the value as a string
	 * @throws AssertionError if the packet has no such property
	 */
	public String text(PropertyType type) {
		if (property(type) instanceof String text) {
			return text;
		}
		throw new AssertionError("No " + type + ": " + this);
	}

	@Override
	public byte[] encode(int version) {
		int flags = switch (type()) {
			case PUBREL, SUBSCRIBE, UNSUBSCRIBE -> 2;
			default -> 0;
		};
		return PacketWriter.packet(type().header() | flags, (out) -> out.bytes(this.body));
	}

	@Override
	public String toString() {
		return type() + " " + this.packetId + ", reasons " + this.reasons + ", " + this.properties;
	}

}
