package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ClusterOperations;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway's clients. The gateway cannot see their connections, so each has a lease
 * that its requests renew. Used only on the event loop.
 */
final class GatewayClients {

	private static final Logger logger = LoggerFactory.getLogger(GatewayClients.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Estimated heap usage of a client, in bytes, not including its id. */
	private static final int CLIENT_COST = 2_048;

	/** Maximum number of clients checked per eviction. */
	private static final int MAX_CHECKS = 100;

	/** A quarter of the memory is for clients, not counting their watches. */
	private static final int CLIENTS_DIVISOR = 4;

	private static final List<UserProperty> REFUSAL_PROPERTIES = List.of(
			new UserProperty(UserProperties.STATUS, UserProperties.STATUS_OK),
			new UserProperty(UserProperties.PROTOCOL_VERSION, UserProperties.PROTOCOL_VERSION_1));

	/** All clients, in the order of their latest requests. */
	private final Map<String, GatewayClient> clients = new LinkedHashMap<>();

	/** Clients with stale keys, in the order in which they take turns. */
	private final Set<GatewayClient> staleClients = new LinkedHashSet<>();

	/** Watches of an earlier gateway that have not been resumed yet. */
	private final Map<String, Set<Bytes>> dormant = new LinkedHashMap<>();

	private final StateStoreServer server;

	private final RetainedWatchers watchers;

	private final MemoryBudget budget;

	/** Permissions of every client. A gateway cannot distinguish clients. */
	private final Permissions permissions;

	private final Duration lease;

	private final LongSupplier nanoClock;

	private final GatewayClient.Sender sender;

	/** Whether the latest turn belonged to a client with stale keys. */
	private boolean resynchronizing;

	/** Whether the broker reports messages without a subscriber. */
	private boolean reportsAbsence;

	GatewayClients(StateStoreServer server, RetainedWatchers watchers, MemoryBudget budget, Duration lease,
			LongSupplier nanoClock, GatewayClient.Sender sender, Permissions permissions) {
		this.permissions = permissions;
		this.server = server;
		this.watchers = watchers;
		this.budget = budget;
		this.lease = lease;
		this.nanoClock = nanoClock;
		this.sender = sender;
	}

	/** Loads the state that an earlier gateway has left on the broker. */
	void restore(Retained retained) {
		this.reportsAbsence = retained.reportsAbsence();
		retained.pages()
			.values()
			.forEach((page) -> page.watches()
				.forEach((watch) -> this.dormant.computeIfAbsent(watch.clientId(), (clientId) -> new LinkedHashSet<>())
					.add(watch.key())));
	}

	/**
	 * Resumes one of the earlier gateway's watches, or notifies the watcher of one stale
	 * key. The two alternate, and clients with stale keys take turns.
	 * @return whether any watches or stale keys remain
	 */
	boolean resumeNext() {
		this.resynchronizing = !this.resynchronizing;
		if (this.dormant.isEmpty() || (this.resynchronizing && !this.staleClients.isEmpty())) {
			resynchronizeNext();
		}
		else {
			resumeNextDormant();
		}
		return isBehind();
	}

	/** Returns whether there are watches to resume or stale keys. */
	boolean isBehind() {
		return !this.dormant.isEmpty() || !this.staleClients.isEmpty();
	}

	private void resumeNextDormant() {
		Map.Entry<String, Set<Bytes>> next = this.dormant.entrySet().iterator().next();
		String clientId = next.getKey();
		GatewayClient client = client(clientId);
		if (isPresent(client)) {
			resume(client, next.getValue().iterator().next());
		}
		else {
			logger.warn("Ended the watches of client '{}': the memory of all clients, {} bytes, is exhausted. Raise "
					+ "--client-memory", clientId, this.budget.maxBytes());
			this.dormant.remove(clientId);
			this.watchers.removeAll(clientId);
		}
	}

	private void resynchronizeNext() {
		if (this.staleClients.isEmpty()) {
			return;
		}
		GatewayClient client = this.staleClients.iterator().next();
		this.staleClients.remove(client);
		Bytes key = client.stale().iterator().next();
		// Removed before the notification, because a full outbox marks the key as stale
		// again.
		client.stale().remove(key);
		if (!client.stale().isEmpty()) {
			this.staleClients.add(client);
		}
		this.server.renotify(client, key);
	}

	/**
	 * Marks a watched key as stale, because one of its notifications was not sent. Later
	 * notifications for the key are skipped until the client is notified of the current
	 * value.
	 * @param client the watcher
	 * @param key the watched key
	 */
	void missed(GatewayClient client, Bytes key) {
		if (isPresent(client) && client.stale().add(key)) {
			this.staleClients.add(client);
		}
	}

	private void removeStale(GatewayClient client, Bytes key) {
		if (client.stale().remove(key) && client.stale().isEmpty()) {
			this.staleClients.remove(client);
		}
	}

	/** Resumes a watch if it is one of the earlier gateway's watches. */
	private void resume(GatewayClient client, Bytes key) {
		Set<Bytes> keys = this.dormant.get(client.clientId());
		if (keys != null && keys.remove(key)) {
			if (keys.isEmpty()) {
				this.dormant.remove(client.clientId());
			}
			this.server.resume(client, key);
		}
	}

	/**
	 * Starts retaining a watch on the broker, and holds messages to its client until the
	 * watch is retained.
	 */
	void watching(GatewayClient client, Bytes key) {
		if (isPresent(client)) {
			this.watchers.add(client.clientId(), key, client.held().hold());
		}
	}

	/** Removes a watch that has ended. */
	void watchEnded(GatewayClient client, Bytes key) {
		if (isPresent(client)) {
			removeStale(client, key);
			this.watchers.remove(client.clientId(), key);
		}
	}

	/**
	 * Returns whether a client is stored: there was memory for it, and it has not been
	 * removed.
	 */
	boolean isPresent(GatewayClient client) {
		return this.clients.get(client.clientId()) == client;
	}

	/**
	 * Handles a request.
	 * @param identity the sender's identity
	 * @param request creates the request for the given client
	 */
	void request(ClientIdentity identity, Function<GatewayClient, IncomingRequest> request) {
		GatewayClient client = client(identity.clientId());
		client.requested(this.nanoClock.getAsLong());
		IncomingRequest incoming = request.apply(client);
		if (!isPresent(client)) {
			refuse(incoming, ErrorReason.QUOTA_EXCEEDED);
			clientLog.warn("Refused client '{}': the memory of all clients, {} bytes, is exhausted. "
					+ "Raise --client-memory", client, this.budget.maxBytes());
		}
		else if (!identity.named() && isAnswerable(incoming)
				&& decode(incoming.payload()) instanceof Command.KeyNotify) {
			refuseToWatch(incoming);
		}
		else {
			if (!this.dormant.isEmpty()) {
				resumeBefore(client, incoming);
			}
			this.server.request(incoming);
		}
	}

	/**
	 * Handles an administration request.
	 * @param identity the sender's identity
	 * @param authorized whether the gateway answers such requests
	 * @param cluster the gateway's cluster, or {@code null} if it is not a cluster node
	 * @param request creates the request for the given client
	 */
	void administer(ClientIdentity identity, boolean authorized, @Nullable ClusterOperations cluster,
			Function<GatewayClient, IncomingRequest> request) {
		GatewayClient client = client(identity.clientId());
		client.requested(this.nanoClock.getAsLong());
		IncomingRequest incoming = request.apply(client);
		if (isPresent(client)) {
			boolean permitted = this.permissions == Permissions.ALL || this.permissions.mayAdminister();
			this.server.administer(incoming, authorized && permitted, cluster, null);
		}
		else {
			refuse(incoming, ErrorReason.QUOTA_EXCEEDED);
		}
	}

	/**
	 * Returns the client with an id, creating it if necessary. If there is no memory for
	 * it, the client is not stored and its requests are refused.
	 */
	private GatewayClient client(String clientId) {
		GatewayClient known = this.clients.remove(clientId);
		if (known != null) {
			this.clients.put(clientId, known);
			return known;
		}
		GatewayClient client = new GatewayClient(clientId, this.sender, this.budget.open(), this.permissions);
		if (reserve(client)) {
			this.clients.put(clientId, client);
			client.seen(this.nanoClock.getAsLong());
			this.server.connected(client);
		}
		return client;
	}

	/** Reserves memory for a client. Evicts less recently active clients if necessary. */
	private boolean reserve(GatewayClient client) {
		long cost = CLIENT_COST + client.clientId().length();
		while (cost > this.budget.maxBytes() / CLIENTS_DIVISOR - this.budget.used(MemoryUse.GATEWAY_CLIENT)) {
			if (!evict()) {
				client.memory().refuse(MemoryUse.GATEWAY_CLIENT);
				return false;
			}
		}
		return client.memory().tryReserve(MemoryUse.GATEWAY_CLIENT, cost)
				|| (evict() && client.memory().tryReserve(MemoryUse.GATEWAY_CLIENT, cost));
	}

	/**
	 * Removes the least recently active client without watches. Clients with watches are
	 * moved to the end so that the next search does not start with them.
	 */
	private boolean evict() {
		for (GatewayClient client : this.clients.values().stream().limit(MAX_CHECKS).toList()) {
			this.clients.remove(client.clientId());
			if (client.isIdle() && !this.watchers.watches(client.clientId())) {
				end(client);
				return true;
			}
			this.clients.put(client.clientId(), client);
		}
		return false;
	}

	/**
	 * Refuses a watch request from a client that has not sent its id, because the gateway
	 * cannot notify it.
	 */
	private void refuseToWatch(IncomingRequest request) {
		clientLog
			.warn("Refused to watch a key for the client that awaits its answers on '{}': it sent neither {} nor a "
					+ "response topic clients/{clientId}/...", request.responseTopic(), UserProperties.SOURCE_ID);
		refuse(request, ErrorReason.NOT_AUTHORIZED);
	}

	private static boolean isAnswerable(IncomingRequest request) {
		String responseTopic = request.responseTopic();
		return request.qos() > 0 && request.correlationData() != null && responseTopic != null
				&& Topics.isResponseTopicAllowed(responseTopic);
	}

	private void refuse(IncomingRequest request, ErrorReason reason) {
		String responseTopic = request.responseTopic();
		if (responseTopic != null && isAnswerable(request)) {
			request.connection()
				.send(new OutgoingMessage(Kind.REPLY, responseTopic,
						Replies.encode(new Reply.Error(reason), request.payload(), this.server.protocolDialect()),
						request.correlationData(), REFUSAL_PROPERTIES));
		}
		request.acknowledgment().acknowledge(0);
	}

	/** Resumes the watch that a request refers to. */
	private void resumeBefore(GatewayClient client, IncomingRequest request) {
		Command command = decode(request.payload());
		if (command instanceof Command.KeyNotify keyNotify) {
			resume(client, keyNotify.key());
		}
		else if (command instanceof Command.KeyNotifyStop stop) {
			resume(client, stop.key());
		}
	}

	private @Nullable Command decode(Bytes payload) {
		try {
			return Commands.decode(payload, this.server.protocolDialect());
		}
		catch (ProtocolException ex) {
			return null;
		}
	}

	/**
	 * Handles a notification that had no subscriber because the client is disconnected or
	 * has not subscribed. The watch ends, unless the client has sent a request since,
	 * because the client may have reconnected and be watching the key again.
	 * @param requests number of the client's requests when the notification was sent
	 */
	void subscriberMissing(GatewayClient client, String topic, int requests) {
		this.reportsAbsence = true;
		Bytes key = Topics.notifiedKey(client.clientId(), topic);
		if (key == null || !isPresent(client) || client.requests() != requests) {
			return;
		}
		logger.debug("No subscriber for notifications of client '{}'; removing its watch", client);
		endWatch(client, key);
	}

	/**
	 * Ends a watch whose notifications cannot be delivered.
	 * @param client the watcher
	 * @param key the watched key
	 */
	void endWatch(GatewayClient client, Bytes key) {
		this.server
			.request(new IncomingRequest(client, 1, GatewayClient.NOWHERE, Bytes.of(UUID.randomUUID().toString()), null,
					List.of(), Bytes.wrap(Commands.encode(new Command.KeyNotifyStop(key))), (reason) -> {
					}));
	}

	/** Handles a notification with a subscriber. */
	void subscriberFound(GatewayClient client) {
		if (this.reportsAbsence) {
			client.seen(this.nanoClock.getAsLong());
		}
	}

	/**
	 * Ends expired leases. If the broker reports missing subscribers, their watches end
	 * without a lease, so a watcher's lease only matters when memory is short.
	 */
	void expire() {
		long now = this.nanoClock.getAsLong();
		boolean watchersToo = !this.reportsAbsence || this.budget.used() >= this.budget.maxBytes() / 4 * 3;
		List<GatewayClient> over = this.clients.values()
			.stream()
			.filter((client) -> now - client.lastSeen() >= this.lease.toNanos()
					&& (watchersToo || !this.watchers.watches(client.clientId())))
			.toList();
		for (GatewayClient client : over) {
			logger.debug("The lease of client '{}' is over", client);
			this.clients.remove(client.clientId());
			end(client);
		}
	}

	private void end(GatewayClient client) {
		client.stale().clear();
		this.staleClients.remove(client);
		this.dormant.remove(client.clientId());
		this.watchers.removeAll(client.clientId());
		this.server.disconnected(client);
		client.memory().close();
	}

	int size() {
		return this.clients.size();
	}

}
