package io.statestore.protocol;

/**
 * A state store notification about a change of a watched key (protocol section 6). The
 * topic contains the key, and the {@code __ts} user property contains the version.
 * {@link Notifications} encodes and decodes it.
 */
public sealed interface Notification {

	/**
	 * The key has a new value.
	 *
	 * @param value the new value
	 */
	record Set(Bytes value) implements Notification {
	}

	/** The key was deleted or has expired. */
	record Delete() implements Notification {
	}

}
