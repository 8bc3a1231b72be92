package io.statestore.dafka.spring;

import java.lang.reflect.Type;

import io.statestore.dafka.Bytes;

/**
 * Turns values into the content of records and back. {@code String} (as UTF-8),
 * {@code byte[]} and {@link Bytes} are sent as they are and never reach a converter.
 * <p>
 * Implementations are safe for use by several threads. Their exceptions must not repeat
 * the value, because they are logged.
 */
public interface DafkaValueConverter {

	/** The content of a record with this value. */
	Bytes write(Object value);

	/**
	 * Read a value.
	 * @param content of the record; may be empty
	 * @param type what it must become
	 * @return an instance of the type
	 */
	Object read(Bytes content, Type type);

}
