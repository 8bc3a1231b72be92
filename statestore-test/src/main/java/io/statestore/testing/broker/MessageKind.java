package io.statestore.testing.broker;

import java.util.Locale;

/** Kind of a message between a client and the store. */
enum MessageKind {

	/** From a client to the store. */
	REQUEST,

	/** From the store to a client, for each request. */
	REPLY,

	/** From the store to a watcher of a key. */
	NOTIFICATION;

	/** Returns the method of {@link StateStoreFaults} that selects these messages. */
	String methodName() {
		return (this == REPLY) ? "replies" : name().toLowerCase(Locale.ROOT) + 's';
	}

}
