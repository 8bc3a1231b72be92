package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.statestore.broker.linearizability.Operation;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A client of a {@link SimulatedCluster}. After reconnecting, it watches its key again
 * and resends unanswered requests.
 */
final class SimulatedClient {

	/** Maximum number of unanswered requests. */
	private static final int MAX_WAITING = 2;

	private static final Bytes OBSERVED = Bytes.of("a");

	private final SimulatedCluster cluster;

	private final String clientId;

	private final List<Operation> history;

	/** Requests without a reply, in order. */
	private final List<Request> waiting = new ArrayList<>();

	private final Map<String, Version> notified = new HashMap<>();

	private @Nullable SimulatedNode node;

	private @Nullable StateStoreServer server;

	private @Nullable RecordingConnection connection;

	private int resent;

	/**
	 * Creates a client.
	 * @param history receives the answered operations
	 */
	SimulatedClient(SimulatedCluster cluster, String clientId, List<Operation> history) {
		this.cluster = cluster;
		this.clientId = clientId;
		this.history = history;
	}

	private long tick() {
		return ++this.cluster.nanos;
	}

	/**
	 * Connects to a node that serves clients, unless this client is already connected to
	 * it.
	 */
	void connect(SimulatedNode node) {
		if (!node.isReady() || (this.connection != null && node.server() == this.server)) {
			return;
		}
		this.node = node;
		this.server = node.server();
		this.connection = RecordingConnection.to(this.server, this.clientId);
		this.notified.clear();
		this.server.request(this.connection.draft(new Command.KeyNotify(OBSERVED)).toRequest());
		for (Request request : List.copyOf(this.waiting)) {
			request.draft = request.draft.resentBy(this.connection);
			this.server.request(request.draft.toRequest());
			this.resent++;
		}
	}

	void send(Command command) {
		if (this.connection == null || this.server == null || this.waiting.size() >= MAX_WAITING) {
			return;
		}
		Request request = new Request(command, this.connection.draft(command), tick());
		this.waiting.add(request);
		this.server.request(request.draft.toRequest());
	}

	/** Handles the messages that have arrived. */
	void receive() {
		if (this.connection == null) {
			return;
		}
		boolean refused = false;
		for (Object event : this.connection.takeEvents()) {
			refused |= event instanceof Acknowledged acknowledged && acknowledged.reasonCode() != 0;
			if (event instanceof OutgoingMessage message) {
				receive(message);
			}
		}
		if (refused || this.node == null || !this.node.isReady() || this.node.server() != this.server) {
			this.connection = null;
		}
	}

	private void receive(OutgoingMessage message) {
		Received received = new Received(message);
		if (message.kind() == OutgoingMessage.Kind.NOTIFICATION) {
			Version last = this.notified.put(message.topic(), received.version());
			if (last != null && last.compareTo(received.version()) >= 0) {
				throw new AssertionError("Notification " + received.version() + " follows " + last);
			}
			return;
		}
		Request request = this.waiting.stream()
			.filter((candidate) -> candidate.draft.correlationData != null
					&& candidate.draft.correlationData.equals(message.correlationData()))
			.findFirst()
			.orElse(null);
		if (request != null) {
			if (this.waiting.get(0) != request) {
				throw new AssertionError(
						"The reply to " + request.command + " overtakes that to " + this.waiting.get(0).command);
			}
			this.waiting.remove(request);
			this.history.add(Histories.operation(this.clientId, request.command, request.sent, tick(), received));
		}
	}

	boolean isWaiting() {
		return !this.waiting.isEmpty();
	}

	/** Returns the number of resent requests. */
	int resent() {
		return this.resent;
	}

	@Override
	public String toString() {
		return this.clientId + " waits for " + this.waiting.size();
	}

	/** A request without a reply. */
	private static final class Request {

		private final Command command;

		private final long sent;

		private Draft draft;

		Request(Command command, Draft draft, long sent) {
			this.command = command;
			this.draft = draft;
			this.sent = sent;
		}

	}

}
