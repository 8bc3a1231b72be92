package io.statestore.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** A PUBLISH packet, built by setting its fields. */
public final class RawPublish extends RawPacket {

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

	public @Nullable Long topicAlias;

	/** Delay in seconds, for a will only. */
	public @Nullable Long willDelay;

	public final List<Map.Entry<String, String>> userProperties = new ArrayList<>();

	/** Identifiers of matching subscriptions, in a message from the broker. */
	public final List<Long> subscriptionIdentifiers = new ArrayList<>();

	public RawPublish() {
		super(PacketType.PUBLISH);
	}

	public static RawPublish of(Consumer<RawPublish> settings) {
		RawPublish publish = new RawPublish();
		settings.accept(publish);
		return publish;
	}

	/**
	 * Returns the value of a user property that occurs at most once; {@code null} if
	 * absent.
	 */
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

	/** Replaces the {@code __ts} user property. */
	public RawPublish at(String timestamp) {
		return without("__ts").with("__ts", timestamp);
	}

	/**
	 * Returns the payload as a string.
	 * @return the payload, decoded as UTF-8
	 */
	public String text() {
		return new String(this.payload, StandardCharsets.UTF_8);
	}

	@Override
	public byte[] encode(int version) {
		int flags = (this.dup ? 8 : 0) | this.qos << 1 | (this.retain ? 1 : 0);
		return PacketWriter.packet(type().header() | flags, (out) -> {
			out.text(this.topic);
			if (this.qos > 0) {
				out.u16(this.packetId);
			}
			if (version == MQTT_5) {
				RawProperty.writeAll(out, properties());
			}
			out.bytes(this.payload);
		});
	}

	List<RawProperty> properties() {
		List<RawProperty> properties = new ArrayList<>();
		add(properties, PropertyType.PAYLOAD_FORMAT_INDICATOR, this.payloadFormat);
		add(properties, PropertyType.MESSAGE_EXPIRY_INTERVAL, this.messageExpiry);
		add(properties, PropertyType.CONTENT_TYPE, this.contentType);
		add(properties, PropertyType.RESPONSE_TOPIC, this.responseTopic);
		add(properties, PropertyType.CORRELATION_DATA, this.correlationData);
		add(properties, PropertyType.TOPIC_ALIAS, this.topicAlias);
		add(properties, PropertyType.WILL_DELAY_INTERVAL, this.willDelay);
		this.userProperties.forEach((property) -> add(properties, PropertyType.USER_PROPERTY, property));
		return properties;
	}

	private static void add(List<RawProperty> properties, PropertyType type, @Nullable Object value) {
		if (value != null) {
			properties.add(type.of(value));
		}
	}

	static RawPublish decode(int flags, PacketReader in, int version) throws IOException {
		RawPublish publish = new RawPublish();
		publish.dup = (flags & 8) != 0;
		publish.qos = (flags >> 1) & 3;
		publish.retain = (flags & 1) != 0;
		publish.topic = in.text();
		publish.packetId = (publish.qos > 0) ? in.readUnsignedShort() : 0;
		if (version == MQTT_5) {
			RawProperty.readAll(in).forEach(publish::set);
		}
		publish.payload = in.readAllBytes();
		return publish;
	}

	void set(RawProperty property) {
		switch (property.type()) {
			case PAYLOAD_FORMAT_INDICATOR -> this.payloadFormat = (Long) property.value();
			case MESSAGE_EXPIRY_INTERVAL -> this.messageExpiry = (Long) property.value();
			case CONTENT_TYPE -> this.contentType = (String) property.value();
			case RESPONSE_TOPIC -> this.responseTopic = (String) property.value();
			case CORRELATION_DATA -> this.correlationData = (byte[]) property.value();
			case TOPIC_ALIAS -> this.topicAlias = (Long) property.value();
			case SUBSCRIPTION_IDENTIFIER -> this.subscriptionIdentifiers.add((Long) property.value());
			case USER_PROPERTY -> {
				Map.Entry<?, ?> pair = (Map.Entry<?, ?>) property.value();
				with((String) pair.getKey(), (String) pair.getValue());
			}
			default -> throw new IllegalArgumentException("No property of a PUBLISH: " + property);
		}
	}

	@Override
	public String toString() {
		return "PUBLISH " + this.topic + " QoS " + this.qos + ", " + this.payload.length + " bytes, "
				+ this.userProperties;
	}

}
