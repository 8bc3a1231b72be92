package io.statestore.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import org.jspecify.annotations.Nullable;

/** Properties of MQTT 5 packets (section 2.2.2). */
public final class Properties {

	/** Maximum encoded size of a text, with the length field. */
	public static final int MAX_SIZE = 2 + 65_535;

	private Properties() {
	}

	/**
	 * Returns the value of a property.
	 * @param <T> type of the value
	 * @param properties the properties of a packet
	 * @param type type of the property
	 * @param valueType type of the value
	 * @return the value, or {@code null} if the property is absent
	 */
	public static <T> @Nullable T value(MqttProperties properties, int type, Class<T> valueType) {
		MqttProperty<?> property = properties.getProperty(type);
		return (property != null) ? valueType.cast(property.value()) : null;
	}

	static long number(MqttProperties properties, int type, long absent) {
		Integer value = value(properties, type, Integer.class);
		return (value != null) ? Integer.toUnsignedLong(value) : absent;
	}

	/**
	 * Returns the user properties.
	 * @param properties the properties of a packet
	 * @return name-value pairs in order
	 */
	public static List<StringPair> userProperties(MqttProperties properties) {
		List<StringPair> result = new ArrayList<>();
		for (MqttProperty<?> property : properties.getProperties(MqttProperties.USER_PROPERTY)) {
			if (property.value() instanceof StringPair pair) {
				result.add(pair);
			}
		}
		return result;
	}

	/**
	 * Returns the encoded size of a text.
	 * @param text a text
	 * @return number of bytes, with the length field, to be compared with
	 * {@link #MAX_SIZE}
	 */
	public static int size(String text) {
		return 2 + ByteBufUtil.utf8Bytes(text);
	}

	/**
	 * Reads a text. Replaces invalid UTF-8 with characters that may take more bytes.
	 * @param in the length of the text, followed by the text
	 * @return the text, which has a valid size
	 * @throws DecoderException if it could not be encoded again
	 */
	static String read(ByteBuf in) {
		int length = in.readUnsignedShort();
		String text = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
		if (length > MAX_SIZE / ByteBufUtil.utf8MaxBytes(1) && size(text) > MAX_SIZE) {
			throw new DecoderException("A text has " + size(text) + " bytes");
		}
		return text;
	}

	/**
	 * Writes a text.
	 * @param out receives the text
	 * @param text a text of valid size
	 */
	public static void write(ByteBuf out, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		out.writeShort(bytes.length).writeBytes(bytes);
	}

	/**
	 * Writes a property that is a text.
	 * @param out receives the property
	 * @param type type of the property
	 * @param text a text of valid size
	 */
	public static void write(ByteBuf out, int type, String text) {
		write(out.writeByte(type), text);
	}

	/**
	 * Writes a user property.
	 * @param out receives the property
	 * @param name a text of valid size
	 * @param value a text of valid size
	 */
	public static void writeUser(ByteBuf out, String name, String value) {
		write(out, MqttProperties.USER_PROPERTY, name);
		write(out, value);
	}

	/**
	 * Writes a property that is binary data.
	 * @param out receives the property
	 * @param type type of the property
	 * @param data at most 65,535 bytes
	 */
	public static void write(ByteBuf out, int type, byte[] data) {
		out.writeByte(type).writeShort(data.length).writeBytes(data);
	}

}
