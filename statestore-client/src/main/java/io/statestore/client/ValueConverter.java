package io.statestore.client;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Type;

import io.statestore.protocol.Bytes;

/**
 * Turns values into bytes and back. {@code String} (as UTF-8), {@code byte[]} and
 * {@link Bytes} are stored as they are and never reach a converter.
 * <p>
 * Implementations are safe for use by several threads. Their exceptions must not repeat
 * the value; see {@link StateStoreConversionException#conceal}.
 */
public interface ValueConverter {

	/**
	 * Write a value.
	 * @param value what to write
	 * @param target where to; need not be closed
	 * @throws IOException only from the target
	 */
	void write(Object value, OutputStream target) throws IOException;

	/**
	 * Read a value.
	 * @param value what the store has; may be empty
	 * @param type what it must become
	 * @return an instance of the type
	 */
	Object read(Bytes value, Type type);

}
