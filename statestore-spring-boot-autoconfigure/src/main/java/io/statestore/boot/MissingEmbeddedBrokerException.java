package io.statestore.boot;

/** The embedded broker is asked for and not on the class path. */
class MissingEmbeddedBrokerException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	MissingEmbeddedBrokerException() {
		super("statestore.embedded.enabled=true needs the broker, and io.statestore:statestore-broker is not on the class path");
	}

}
