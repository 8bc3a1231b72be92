package io.statestore.broker.gateway;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage;
import org.slf4j.LoggerFactory;

/** A client that sends requests, from its first one to the end of its lease. */
final class GatewayClient implements ClientConnection {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(GatewayClient.class));

	private final String clientId;

	private final Sender sender;

	private final ClientShare memory;

	private volatile long lastRequest;

	private volatile int requests;

	GatewayClient(String clientId, Sender sender, ClientShare memory) {
		this.clientId = clientId;
		this.memory = memory;
		this.sender = sender;
	}

	@Override
	public String clientId() {
		return this.clientId;
	}

	@Override
	public ClientShare memory() {
		return this.memory;
	}

	@Override
	public void send(OutgoingMessage message) {
		this.sender.send(this, message);
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		clientLog.warn("Ignored a request of client '{}': {} (only the broker could disconnect it)", this.clientId,
				reason);
	}

	/** Only called by one thread. */
	@SuppressWarnings("NonAtomicOperationOnVolatileField")
	void requested(long now) {
		this.lastRequest = now;
		this.requests = this.requests + 1;
	}

	long lastRequest() {
		return this.lastRequest;
	}

	/** How many requests it has sent, modulo 2^32. */
	int requests() {
		return this.requests;
	}

	@Override
	public String toString() {
		return this.clientId;
	}

	/** Takes what goes out to a client. */
	interface Sender {

		void send(GatewayClient client, OutgoingMessage message);

	}

}
