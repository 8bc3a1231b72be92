package io.statestore.client.mqtt.link;

import java.io.IOException;

/**
 * Thrown when a server answers in TLS to a client without TLS.
 * <p>
 * Internal: not part of the API.
 */
public final class TlsExpectedException extends IOException {

	private static final long serialVersionUID = 1L;

	/** Creates an exception. */
	public TlsExpectedException() {
		super("the port expects TLS");
	}

}
