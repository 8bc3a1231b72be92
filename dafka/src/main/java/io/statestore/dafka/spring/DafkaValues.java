package io.statestore.dafka.spring;

import java.lang.reflect.Type;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import org.jspecify.annotations.Nullable;

/**
 * Converts between values and record content. {@code String} (as UTF-8), {@code byte[]},
 * and {@link Bytes} are used unchanged; a converter handles all other types. Thread-safe.
 */
final class DafkaValues {

	private final @Nullable DafkaValueConverter converter;

	/**
	 * Creates a conversion.
	 * @param converter converter for all other types, or {@code null} to support none
	 */
	public DafkaValues(@Nullable DafkaValueConverter converter) {
		this.converter = converter;
	}

	/**
	 * Converts a value to record content.
	 * @param topic topic of the record, for error messages
	 * @param value value of any type
	 * @return content of the record
	 * @throws DafkaConversionException if the value cannot be converted
	 * @throws IllegalArgumentException if the value is {@code null}
	 */
	public Bytes write(String topic, Object value) {
		if (value == null) {
			throw new IllegalArgumentException(
					"'value' must not be null, because Dafka has no null. Send an empty text, or a value that stands for null");
		}
		if (value instanceof Bytes bytes) {
			return bytes;
		}
		if (value instanceof byte[] array) {
			return Bytes.copyOf(array);
		}
		String what = value.getClass().getName() + " cannot be written as a record of topic '" + topic + '\'';
		try {
			return (value instanceof String text) ? encode(text) : converter().write(value);
		}
		catch (RuntimeException ex) {
			throw failed(what, ex);
		}
	}

	/**
	 * Converts record content to a value.
	 * @param record record with the content; its position is for error messages
	 * @param type required type
	 * @return an instance of the required type
	 * @throws DafkaConversionException if the content cannot be converted
	 */
	public Object read(DafkaRecord record, Type type) {
		Bytes content = record.content();
		if (type == Bytes.class) {
			return content;
		}
		if (type == byte[].class) {
			return content.toArray();
		}
		String what = "The record at " + record.topic() + '/' + record.partition() + '/' + record.offset()
				+ " cannot be read as " + type.getTypeName();
		try {
			return (type == String.class) ? decode(content) : converter().read(content, type);
		}
		catch (RuntimeException ex) {
			throw failed(what, ex);
		}
	}

	private DafkaValueConverter converter() {
		if (this.converter == null) {
			throw new DafkaConversionException(
					"without a converter, only String, byte[] and Bytes are supported. For JSON, add the dependency "
							+ "org.springframework.boot:spring-boot-starter-jackson, or tools.jackson.core:jackson-databind "
							+ "and a JacksonDafkaValueConverter");
		}
		return this.converter;
	}

	private static Bytes encode(String text) {
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
			throw new DafkaConversionException("it contains half of a surrogate pair. Send it as byte[] or Bytes");
		}
		return Bytes.of(text);
	}

	private static String decode(Bytes content) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(content.toBuffer()).toString();
		}
		catch (CharacterCodingException ex) {
			throw new DafkaConversionException("it is not UTF-8. Read it as byte[] or Bytes");
		}
	}

	private static DafkaConversionException failed(String what, RuntimeException failure) {
		String why = (failure instanceof DafkaConversionException) ? String.valueOf(failure.getMessage())
				: failure.getClass().getName();
		return new DafkaConversionException(what + ": " + why, failure);
	}

}
