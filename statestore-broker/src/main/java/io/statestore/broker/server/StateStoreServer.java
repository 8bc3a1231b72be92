package io.statestore.broker.server;

/**
 * The state store as a server: takes requests from a transport and answers through the
 * {@link ClientConnection} they came from.
 * <p>
 * Safe for use by several threads; the requests of one connection are executed in the
 * order of the calls.
 */
public final class StateStoreServer implements AutoCloseable {

	/** A client has connected. Comes before its first request. */
	public void connected(ClientConnection connection) {
		throw new UnsupportedOperationException();
	}

	/**
	 * A connection has ended, for whatever reason: its observations end with it (protocol
	 * section 6). Comes after its last request, also when a new connection with the same
	 * client id is there already.
	 */
	public void disconnected(ClientConnection connection) {
		throw new UnsupportedOperationException();
	}

	/** A client has published to the request topic. */
	public void request(IncomingRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
	}

}
