package io.statestore.protocol;

/**
 * Message of the store about a change of an observed key (protocol section 6). The key is
 * in the topic, and the version in the user property {@code __ts}. {@link Notifications}
 * encodes and decodes it.
 */
public sealed interface Notification {

	/**
	 * The key has a new value.
	 *
	 * @param value the value
	 */
	record Set(Bytes value) implements Notification {
	}

	/** The key was deleted, or has expired. */
	record Delete() implements Notification {
	}

}
