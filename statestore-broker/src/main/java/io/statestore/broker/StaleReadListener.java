package io.statestore.broker;

import java.util.function.Consumer;

import io.statestore.broker.mqtt.ClientListener;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.StaleReads;

/**
 * Adapter that passes the requests of MQTT clients to the stale reads of a node.
 *
 * @param reads answers the requests
 * @param failures receives errors of network threads
 */
record StaleReadListener(StaleReads reads, Consumer<Error> failures) implements ClientListener {

	@Override
	public void connected(ClientConnection connection) {
		// Nothing is kept for a connection
	}

	@Override
	public void disconnected(ClientConnection connection) {
		// Nothing is kept for a connection
	}

	@Override
	public void request(IncomingRequest request) {
		this.reads.request(request);
	}

	@Override
	public void administer(IncomingRequest request, boolean local) {
		this.reads.administer(request);
	}

	@Override
	public void failed(Error error) {
		this.failures.accept(error);
	}

}
