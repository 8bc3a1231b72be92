package io.statestore.client;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Type;

import io.statestore.protocol.Bytes;

/**
 * Converts between values and stored bytes. {@code String} (as UTF-8), {@code byte[]},
 * and {@link Bytes} values are stored unchanged, without a converter.
 * <p>
 * Implementations must be thread-safe. Their exceptions must not contain the value; see
 * {@link StateStoreConversionException#conceal}.
 */
public interface ValueConverter {

	/**
	 * Writes a value.
	 * @param value the value
	 * @param target receives the bytes; need not be closed
	 * @throws IOException if writing to the target fails
	 * @throws RuntimeException if the value cannot be written
	 */
	void write(Object value, OutputStream target) throws IOException;

	/**
	 * Reads a value.
	 * @param value the stored bytes, which may be empty
	 * @param type the requested type
	 * @return an instance of the type
	 * @throws RuntimeException if the bytes cannot be read as this type
	 */
	Object read(Bytes value, Type type);

}
