package io.statestore.dafka.spring;

import java.lang.reflect.Type;

import io.statestore.dafka.Bytes;

/**
 * Converter between values and the content of records. {@code String} (as UTF-8),
 * {@code byte[]}, and {@link Bytes} are sent unchanged, without a converter.
 * <p>
 * Implementations must be thread-safe. Their exceptions must not contain the value,
 * because they are logged.
 */
public interface DafkaValueConverter {

	/**
	 * Converts a value to the content of a record.
	 * @param value the value
	 * @return the content
	 * @throws RuntimeException if the value cannot be converted; the record is not sent
	 */
	Bytes write(Object value);

	/**
	 * Converts the content of a record to a value.
	 * @param content the content, which may be empty
	 * @param type the required type
	 * @return an instance of the type
	 * @throws RuntimeException if the content cannot be converted; passed to the error
	 * handler of the listener, as cause of a {@link DafkaConversionException}
	 */
	Object read(Bytes content, Type type);

}
