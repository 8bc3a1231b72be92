package io.statestore.client.mqtt.internal;

import java.net.ProtocolException;

/**
 * Thrown when a server answers in TLS to a client without TLS.
 */
final class TlsExpectedException extends ProtocolException {

	private static final long serialVersionUID = 1L;

	TlsExpectedException() {
		super("the port expects TLS");
	}

}
