package io.statestore.protocol;

/**
 * A change of an observed key, pushed by the state store (protocol section 6). The key is
 * in the topic, the version in the user property {@code __ts}. {@link Notifications}
 * turns it into bytes and back.
 */
public sealed interface Notification {

	/** The key has a new value. */
	record Set(Bytes value) implements Notification {
	}

	/** The key was deleted, or it expired. */
	record Delete() implements Notification {
	}

}
