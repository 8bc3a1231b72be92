package io.statestore.protocol;

/**
 * A notification of the state store about a change of a watched key (protocol section 6).
 * The topic contains the key, the user property {@code __ts} the version.
 * {@link Notifications} encodes and decodes it.
 */
public sealed interface Notification {

	/**
	 * The key has a new value.
	 *
	 * @param value the value
	 */
	record Set(Bytes value) implements Notification {
	}

	/** The key was deleted or has expired. */
	record Delete() implements Notification {
	}

}
