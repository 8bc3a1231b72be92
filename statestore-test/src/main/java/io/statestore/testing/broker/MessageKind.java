package io.statestore.testing.broker;

import java.util.Locale;

/** Kind of message between a client and the store. */
enum MessageKind {

	/** From a client to the store. */
	REQUEST,

	/** From the store to a client, for each request. */
	REPLY,

	/** From the store to a client that watches a key. */
	NOTIFICATION;

	/** Returns the method of {@link StateStoreFaults} that selects these messages. */
	String methodName() {
		return (this == REPLY) ? "replies" : name().toLowerCase(Locale.ROOT) + 's';
	}

}
