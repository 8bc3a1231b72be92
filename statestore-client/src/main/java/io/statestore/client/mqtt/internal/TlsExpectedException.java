package io.statestore.client.mqtt.internal;

import java.io.IOException;

/**
 * Thrown when a server answers in TLS to a client without TLS.
 */
final class TlsExpectedException extends IOException {

	private static final long serialVersionUID = 1L;

	/** Creates an exception. */
	public TlsExpectedException() {
		super("the port expects TLS");
	}

}
