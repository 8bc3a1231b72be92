package io.statestore.client.lock;

import java.util.UUID;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;

/**
 * Value of the key of a held lock: the holder name of the options, an id of the process,
 * and the number of the acquisition.
 */
final class LockHolder {

	private LockHolder() {
	}

	/** Returns the holder of one acquisition. */
	static Bytes of(String name, UUID process, long acquisition) {
		return Bytes.of(name + '/' + process + '/' + acquisition);
	}

	/**
	 * Returns whether a value is that of a held lock, and not data of an application.
	 */
	static boolean matches(Bytes value) {
		return LockNames.isHolder(value);
	}

	/** Returns a printable text, because another client may have stored any bytes. */
	static String describe(Bytes value) {
		return value.isEmpty() ? "" : new Key(value).toString();
	}

}
