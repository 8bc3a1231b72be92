package io.statestore.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** A PUBLISH packet with everything the protocol uses. Built by setting its fields. */
public final class RawPublish {

	public String topic = "";

	public byte[] payload = new byte[0];

	public int qos = 1;

	public boolean dup;

	public boolean retain;

	public int packetId;

	public @Nullable String responseTopic;

	public byte @Nullable [] correlationData;

	public @Nullable Long messageExpiry;

	public @Nullable String contentType;

	public @Nullable Long payloadFormat;

	public final List<Map.Entry<String, String>> userProperties = new ArrayList<>();

	public static RawPublish of(Consumer<RawPublish> settings) {
		RawPublish publish = new RawPublish();
		settings.accept(publish);
		return publish;
	}

	/** The only value of a user property, {@code null} if absent. */
	public @Nullable String userProperty(String name) {
		List<String> values = this.userProperties.stream()
			.filter((property) -> property.getKey().equals(name))
			.map(Map.Entry::getValue)
			.toList();
		if (values.size() > 1) {
			throw new AssertionError("More than one " + name + ": " + values);
		}
		return values.isEmpty() ? null : values.get(0);
	}

	public RawPublish with(String name, String value) {
		this.userProperties.add(Map.entry(name, value));
		return this;
	}

	public RawPublish without(String name) {
		this.userProperties.removeIf((property) -> name.equals(property.getKey()));
		return this;
	}

	/** With this {@code __ts} instead of the one it has. */
	public RawPublish at(String timestamp) {
		return without("__ts").with("__ts", timestamp);
	}

	public byte[] encode() {
		return PacketWriter.packet(0x30 | (this.dup ? 8 : 0) | this.qos << 1 | (this.retain ? 1 : 0), (out) -> {
			out.text(this.topic);
			if (this.qos > 0) {
				out.u16(this.packetId);
			}
			out.sized(this::encodeProperties);
			out.bytes(this.payload);
		});
	}

	private void encodeProperties(PacketWriter out) {
		if (this.payloadFormat != null) {
			out.u8(0x01).u8(this.payloadFormat.intValue());
		}
		if (this.messageExpiry != null) {
			out.u8(0x02).u32(this.messageExpiry);
		}
		if (this.contentType != null) {
			out.u8(0x03).text(this.contentType);
		}
		if (this.responseTopic != null) {
			out.u8(0x08).text(this.responseTopic);
		}
		if (this.correlationData != null) {
			out.u8(0x09).binary(this.correlationData);
		}
		this.userProperties.forEach((property) -> out.u8(0x26).text(property.getKey()).text(property.getValue()));
	}

	static RawPublish decode(PacketReader in) {
		RawPublish publish = new RawPublish();
		publish.dup = (in.flags() & 8) != 0;
		publish.qos = (in.flags() >> 1) & 3;
		publish.topic = in.text();
		publish.packetId = (publish.qos > 0) ? in.u16() : 0;
		Map<Integer, List<Object>> properties = in.properties();
		publish.payloadFormat = (Long) first(properties, 0x01);
		publish.messageExpiry = (Long) first(properties, 0x02);
		publish.contentType = (String) first(properties, 0x03);
		publish.responseTopic = (String) first(properties, 0x08);
		publish.correlationData = (byte[]) first(properties, 0x09);
		for (Object property : properties.getOrDefault(0x26, List.of())) {
			Map.Entry<?, ?> entry = (Map.Entry<?, ?>) property;
			publish.with((String) entry.getKey(), (String) entry.getValue());
		}
		publish.payload = in.rest();
		return publish;
	}

	private static @Nullable Object first(Map<Integer, List<Object>> properties, int identifier) {
		List<Object> values = properties.get(identifier);
		return (values != null) ? values.get(0) : null;
	}

	@Override
	public String toString() {
		return "PUBLISH " + this.topic + " QoS " + this.qos + ", " + this.payload.length + " bytes, "
				+ this.userProperties;
	}

}
