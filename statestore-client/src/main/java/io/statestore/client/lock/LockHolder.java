package io.statestore.client.lock;

import java.util.UUID;
import java.util.regex.Pattern;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;

/**
 * Value of the key of a held lock: the holder name of the options, an id of the process,
 * and the number of the acquisition.
 */
final class LockHolder {

	private static final Pattern PATTERN = Pattern
		.compile("(?s).*/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]*");

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
		return PATTERN.matcher(value.toUtf8()).matches();
	}

	/** Returns a printable text, because another client may have stored any bytes. */
	static String describe(Bytes value) {
		return value.isEmpty() ? "" : new Key(value).toString();
	}

}
