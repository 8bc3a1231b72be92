package io.statestore.dafka.spring;

import java.lang.reflect.Type;

import io.statestore.dafka.Bytes;

/**
 * Converts between values and record content. {@code String} (as UTF-8), {@code byte[]},
 * and {@link Bytes} are sent unchanged, without a converter.
 * <p>
 * Implementations must be thread-safe. Their exceptions must not contain the value,
 * because they are logged.
 */
public interface DafkaValueConverter {

	/**
	 * Converts a value to record content.
	 * @param value the value, never {@code null}
	 * @return content of the record
	 * @throws RuntimeException if the value cannot be converted; the record is not sent
	 */
	Bytes write(Object value);

	/**
	 * Converts record content to a value.
	 * @param content the content, which may be empty
	 * @param type required type
	 * @return an instance of the required type
	 * @throws RuntimeException if the content cannot be converted; passed to the
	 * listener's error handler as the cause of a {@link DafkaConversionException}
	 */
	Object read(Bytes content, Type type);

}
