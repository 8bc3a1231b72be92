package io.statestore.client.mqtt;

import java.io.IOException;

/** Thrown when a server answers in TLS to a client without TLS. */
final class TlsExpectedException extends IOException {

	private static final long serialVersionUID = 1L;

	TlsExpectedException() {
		super(ConnectionDiagnosis.TLS_EXPECTED.cause());
	}

}
