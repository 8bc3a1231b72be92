package io.statestore.broker.mqtt;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of all MQTT sessions by client id in Artemis. Sessions outlive connections,
 * and Artemis does not report their end, so they are compared with those of Artemis
 * regularly. Safe for use by several threads.
 */
final class SessionLedger {

	private static final Logger logger = LoggerFactory.getLogger(SessionLedger.class);

	/** Fraction of the budget for memory that outlives connections. */
	private static final int LASTING_FRACTION = 2;

	/** Fraction of the budget to free when memory is short. */
	private static final int ROOM_FRACTION = 32;

	private final Map<String, SessionMemory> sessions = new ConcurrentHashMap<>();

	private final MemoryBudget budget;

	private final ArtemisBridge broker;

	private final SubscriptionQueues queues;

	private final AtomicLong sweeps = new AtomicLong();

	private final AtomicBoolean memoryShort = new AtomicBoolean();

	/** Clients whose session appeared abandoned in the latest sweep. */
	private Set<String> abandoned = Set.of();

	SessionLedger(MemoryBudget budget, ArtemisBridge broker) {
		this.budget = budget;
		this.broker = broker;
		this.queues = new SubscriptionQueues(broker::queueName);
	}

	/**
	 * Attaches a connection to the session of a client.
	 * @param clientId of the client
	 * @return the session, to be detached when the connection has ended
	 */
	SessionMemory attach(String clientId) {
		return this.sessions.compute(clientId, (id, known) -> open(id, known));
	}

	private SessionMemory open(String clientId, @Nullable SessionMemory known) {
		SessionMemory session = (known != null) ? known : create(clientId);
		session.attach(this.sweeps.get());
		return session;
	}

	private SessionMemory create(String clientId) {
		return new SessionMemory(clientId, this.budget.open(), this.queues);
	}

	/** Returns the queues of all subscriptions for which memory is reserved. */
	SubscriptionQueues queues() {
		return this.queues;
	}

	/**
	 * Reconciles all sessions with those of the broker.
	 * @return the ids of all clients that have a session
	 */
	Set<String> sweep() {
		// Sessions attached from here on may be missing in the copy.
		long sweep = this.sweeps.incrementAndGet();
		Map<String, MQTTSessionState> states = this.broker.sessions();
		states.keySet().forEach((clientId) -> this.sessions.computeIfAbsent(clientId, (id) -> {
			SessionMemory session = create(id);
			session.attach(sweep - 1);
			session.detach();
			return session;
		}));
		this.sessions.keySet()
			.forEach((clientId) -> this.sessions.computeIfPresent(clientId,
					(id, session) -> reconcile(session, states.get(id), sweep)));
		this.abandoned = this.broker.endAbandoned(states.keySet(), this.abandoned);
		if (this.memoryShort.getAndSet(false)) {
			makeRoom(states);
		}
		return states.keySet();
	}

	/**
	 * Handles the refusal of memory for a session that outlives its connection.
	 * @param bytes requested size
	 */
	void refused(long bytes) {
		long held = this.budget.used(MemoryUse.SESSION) + this.budget.used(MemoryUse.RETAINED);
		if (held + bytes > this.budget.maxBytes() / LASTING_FRACTION) {
			this.memoryShort.set(true);
		}
	}

	/**
	 * Ends the sessions that have been without a connection for longest, as MQTT permits
	 * (MQTT 5 section 4.1).
	 */
	private void makeRoom(Map<String, MQTTSessionState> states) {
		long wanted = this.budget.maxBytes() / ROOM_FRACTION;
		List<String> longestDetached = states.entrySet()
			.stream()
			.filter((entry) -> !entry.getValue().isAttached())
			.sorted(Comparator.comparingLong((entry) -> entry.getValue().getDisconnectedTime()))
			.map(Map.Entry::getKey)
			.toList();
		long freed = 0;
		int ended = 0;
		for (String clientId : longestDetached) {
			SessionMemory session = this.sessions.get(clientId);
			MQTTSessionState state = states.get(clientId);
			if (session != null && state != null && freed < wanted) {
				freed += session.lastingBytes();
				ended++;
				ArtemisBridge.expire(state);
			}
		}
		if (ended > 0) {
			logger.warn("Ended {} sessions without a connection to make room for a new one. If this persists, raise "
					+ "--client-memory (statestore.embedded.client-memory)", ended);
		}
	}

	private static @Nullable SessionMemory reconcile(SessionMemory session, @Nullable MQTTSessionState state,
			long sweep) {
		if (state != null) {
			session.reconcile(() -> state.getSubscriptionsPlusID().keySet(),
					state.getClientSessionExpiryInterval() != 0, sweep);
		}
		else {
			session.reconcile(null, false, sweep);
		}
		return session.isGone() ? null : session;
	}

}
