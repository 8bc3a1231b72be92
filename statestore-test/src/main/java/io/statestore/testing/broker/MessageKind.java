package io.statestore.testing.broker;

/** Kind of a message between a client and the store. */
enum MessageKind {

	/** From a client to the store. */
	REQUEST("request"),

	/** From the store to a client, for each request. */
	REPLY("reply"),

	/** From the store to a watcher of a key. */
	NOTIFICATION("notification");

	private final String text;

	MessageKind(String text) {
		this.text = text;
	}

	/** Returns the name in a user property. */
	String text() {
		return this.text;
	}

	/** Returns the method of {@link StateStoreFaults} that selects these messages. */
	String methodName() {
		return (this == REPLY) ? "replies" : this.text + 's';
	}

}
