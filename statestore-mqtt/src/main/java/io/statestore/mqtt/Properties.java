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

/** Reads and writes properties in MQTT 5 packets (section 2.2.2). */
public final class Properties {

	/** Maximum size of an encoded string in bytes, including the length field. */
	public static final int MAX_SIZE = 2 + 65_535;

	private Properties() {
	}

	/**
	 * Returns the value of a property.
	 * @param <T> type of the value
	 * @param properties the packet's properties
	 * @param type the property's identifier
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
	 * @param properties the packet's properties
	 * @return name-value pairs, in packet order
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
	 * Returns the encoded size of a string.
	 * @param text a string
	 * @return number of bytes including the length field, at most {@link #MAX_SIZE} if
	 * the string is valid
	 */
	public static int size(String text) {
		return 2 + ByteBufUtil.utf8Bytes(text);
	}

	/**
	 * Reads a string. Replaces invalid UTF-8 with characters that may take more bytes.
	 * @param in the string's length, followed by the string
	 * @return the string, whose size is valid
	 * @throws DecoderException if the string would be too long to be encoded again
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
	 * Writes a string.
	 * @param out receives the string
	 * @param text a string of valid size
	 */
	public static void write(ByteBuf out, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		out.writeShort(bytes.length).writeBytes(bytes);
	}

	/**
	 * Writes a string property.
	 * @param out receives the property
	 * @param type the property's identifier
	 * @param text a string of valid size
	 */
	public static void write(ByteBuf out, int type, String text) {
		write(out.writeByte(type), text);
	}

	/**
	 * Writes a user property.
	 * @param out receives the property
	 * @param name a string of valid size
	 * @param value a string of valid size
	 */
	public static void writeUser(ByteBuf out, String name, String value) {
		write(out, MqttProperties.USER_PROPERTY, name);
		write(out, value);
	}

	/**
	 * Writes a binary property.
	 * @param out receives the property
	 * @param type the property's identifier
	 * @param data at most 65,535 bytes
	 */
	public static void write(ByteBuf out, int type, byte[] data) {
		out.writeByte(type).writeShort(data.length).writeBytes(data);
	}

}
