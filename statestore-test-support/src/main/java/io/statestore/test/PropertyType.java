package io.statestore.test;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;

/**
 * MQTT 5 property types: their identifiers and encodings (MQTT 5.0, section 2.2.2).
 */
public enum PropertyType {

	PAYLOAD_FORMAT_INDICATOR(0x01, Encoding.U8), MESSAGE_EXPIRY_INTERVAL(0x02, Encoding.U32),
	CONTENT_TYPE(0x03, Encoding.TEXT), RESPONSE_TOPIC(0x08, Encoding.TEXT), CORRELATION_DATA(0x09, Encoding.BINARY),
	SUBSCRIPTION_IDENTIFIER(0x0B, Encoding.VAR_INT), SESSION_EXPIRY_INTERVAL(0x11, Encoding.U32),
	ASSIGNED_CLIENT_IDENTIFIER(0x12, Encoding.TEXT), SERVER_KEEP_ALIVE(0x13, Encoding.U16),
	AUTHENTICATION_METHOD(0x15, Encoding.TEXT), AUTHENTICATION_DATA(0x16, Encoding.BINARY),
	REQUEST_PROBLEM_INFORMATION(0x17, Encoding.U8), WILL_DELAY_INTERVAL(0x18, Encoding.U32),
	REQUEST_RESPONSE_INFORMATION(0x19, Encoding.U8), RESPONSE_INFORMATION(0x1A, Encoding.TEXT),
	SERVER_REFERENCE(0x1C, Encoding.TEXT), REASON_STRING(0x1F, Encoding.TEXT), RECEIVE_MAXIMUM(0x21, Encoding.U16),
	TOPIC_ALIAS_MAXIMUM(0x22, Encoding.U16), TOPIC_ALIAS(0x23, Encoding.U16), MAXIMUM_QOS(0x24, Encoding.U8),
	RETAIN_AVAILABLE(0x25, Encoding.U8), USER_PROPERTY(0x26, Encoding.PAIR), MAXIMUM_PACKET_SIZE(0x27, Encoding.U32),
	WILDCARD_SUBSCRIPTION_AVAILABLE(0x28, Encoding.U8), SUBSCRIPTION_IDENTIFIER_AVAILABLE(0x29, Encoding.U8),
	SHARED_SUBSCRIPTION_AVAILABLE(0x2A, Encoding.U8);

	private final int identifier;

	private final Encoding encoding;

	PropertyType(int identifier, Encoding encoding) {
		this.identifier = identifier;
		this.encoding = encoding;
	}

	/**
	 * Returns a property of this type.
	 * @param value a number, a string, bytes, or, for a user property, a
	 * {@link java.util.Map.Entry} of strings
	 * @return a new property
	 */
	public RawProperty of(Object value) {
		return new RawProperty(this, (value instanceof Integer number) ? Long.valueOf(number & 0xFFFFFFFFL) : value);
	}

	/**
	 * Returns a user property.
	 * @param name name of the user property
	 * @param value value of the user property
	 * @return a new property
	 */
	public static RawProperty user(String name, String value) {
		return USER_PROPERTY.of(Map.entry(name, value));
	}

	static RawProperty read(PacketReader in) throws IOException {
		int identifier = in.varInt();
		PropertyType type = Arrays.stream(values())
			.filter((candidate) -> candidate.identifier == identifier)
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown property " + identifier));
		return new RawProperty(type, switch (type.encoding) {
			case U8 -> (long) in.readUnsignedByte();
			case U16 -> (long) in.readUnsignedShort();
			case U32 -> in.u32();
			case VAR_INT -> (long) in.varInt();
			case TEXT -> in.text();
			case BINARY -> in.binary();
			case PAIR -> Map.entry(in.text(), in.text());
		});
	}

	void write(PacketWriter out, Object value) {
		out.varInt(this.identifier);
		switch (this.encoding) {
			case U8 -> out.u8((int) number(value));
			case U16 -> out.u16((int) number(value));
			case U32 -> out.u32(number(value));
			case VAR_INT -> out.varInt((int) number(value));
			case TEXT -> out.text((String) value);
			case BINARY -> out.binary((byte[]) value);
			case PAIR -> {
				Map.Entry<?, ?> pair = (Map.Entry<?, ?>) value;
				out.text((String) pair.getKey()).text((String) pair.getValue());
			}
		}
	}

	private static long number(Object value) {
		return ((Number) value).longValue();
	}

	private enum Encoding {

		U8, U16, U32, VAR_INT, TEXT, BINARY, PAIR

	}

}
