package io.statestore.boot;

/** Thrown when the embedded broker is enabled but not on the class path. */
class MissingEmbeddedBrokerException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	MissingEmbeddedBrokerException() {
		super("statestore.embedded.enabled=true needs the broker, io.statestore:statestore-broker, which is not on the class path");
	}

}
