package io.statestore.broker.gateway;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;

import io.statestore.broker.engine.Requester;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.protocol.Bytes;
import org.slf4j.LoggerFactory;

/** A gateway client, from its first request to the end of its lease. */
final class GatewayClient implements ClientConnection {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(GatewayClient.class));

	/** Response topic of the gateway's own commands, whose replies are dropped. */
	static final String NOWHERE = "statestore-gateway/" + UUID.randomUUID();

	private final Requester requester;

	private final Sender sender;

	private final ClientShare memory;

	private final Permissions permissions;

	private final HeldMessages held = new HeldMessages();

	private final Outbox.Recipient queue = new Outbox.Recipient();

	/** Keys whose latest notification was not sent. Used only on the event loop. */
	private final Set<Bytes> stale = new LinkedHashSet<>();

	/** Number of unanswered requests. Used only on the event loop. */
	private int unanswered;

	private volatile long lastSeen;

	private volatile int requests;

	GatewayClient(String clientId, Sender sender, ClientShare memory, Permissions permissions) {
		this.requester = Requester.anonymous(clientId);
		this.permissions = permissions;
		this.memory = memory;
		this.sender = sender;
	}

	@Override
	public String clientId() {
		return this.requester.clientId();
	}

	@Override
	public Requester requester() {
		return this.requester;
	}

	@Override
	public Permissions permissions() {
		return this.permissions;
	}

	@Override
	public ClientShare memory() {
		return this.memory;
	}

	@Override
	public void send(OutgoingMessage message) {
		if (!message.topic().equals(NOWHERE)) {
			this.sender.send(this, message);
		}
	}

	@Override
	public void watching(Bytes key) {
		this.sender.watching(this, key);
	}

	@Override
	public void watchEnded(Bytes key) {
		this.sender.watchEnded(this, key);
	}

	/**
	 * Returns the messages held back for this client. Used only on the event loop.
	 */
	HeldMessages held() {
		return this.held;
	}

	/**
	 * Returns this client's messages that the broker has not acknowledged. Used only on
	 * the event loop.
	 */
	Outbox.Recipient queue() {
		return this.queue;
	}

	/**
	 * Returns the keys whose current value must be sent to this client. Used only on the
	 * event loop.
	 */
	Set<Bytes> stale() {
		return this.stale;
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		clientLog.warn("Ignored a request of client '{}': {} (only the broker could disconnect it)", clientId(),
				reason);
	}

	/** Records a request. Called by only one thread. */
	@SuppressWarnings("NonAtomicOperationOnVolatileField")
	void requested(long now) {
		seen(now);
		this.requests = this.requests + 1;
		this.unanswered++;
	}

	/** Records the completion of a request. */
	void answered() {
		this.unanswered--;
	}

	/** Returns whether this client has neither requests nor messages in progress. */
	boolean isIdle() {
		return this.unanswered == 0 && this.held.isEmpty() && !this.queue.isAwaited();
	}

	/** Records a sign that the client is connected. */
	void seen(long now) {
		this.lastSeen = now;
	}

	long lastSeen() {
		return this.lastSeen;
	}

	/** Returns the number of requests of this client, modulo 2^32. */
	int requests() {
		return this.requests;
	}

	@Override
	public String toString() {
		return this.requester.clientId();
	}

	/** Receives messages for a client and changes to its watches. */
	interface Sender {

		void send(GatewayClient client, OutgoingMessage message);

		/** Called before messages that depend on the watch. */
		default void watching(GatewayClient client, Bytes key) {
		}

		default void watchEnded(GatewayClient client, Bytes key) {
		}

	}

}
