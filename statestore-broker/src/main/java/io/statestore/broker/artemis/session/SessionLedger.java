package io.statestore.broker.artemis.session;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of all MQTT sessions, by client id in Artemis. Sessions outlive connections, and
 * Artemis does not report their end. Sweeps therefore reconcile this memory with the
 * sessions in Artemis. Thread-safe, except that one thread at a time may sweep.
 */
final class SessionLedger {

	private static final Logger logger = LoggerFactory.getLogger(SessionLedger.class);

	/** Divisor of the budget for memory that outlives connections. */
	private static final int LASTING_DIVISOR = 2;

	/** Divisor of the budget for the part to release when memory is short. */
	private static final int ROOM_DIVISOR = 32;

	private final Map<String, SessionMemory> sessions = new ConcurrentHashMap<>();

	private final MemoryBudget budget;

	private final SessionOwners owners;

	private final SessionStates states;

	private final SubscriptionQueues queues;

	/** Number of the latest sweep. */
	private final AtomicLong sweeps = new AtomicLong();

	/** Whether memory was refused since the latest sweep. */
	private final AtomicBoolean memoryShort = new AtomicBoolean();

	/** Clients whose session appeared abandoned in the latest sweep. */
	private Set<String> abandoned = Set.of();

	SessionLedger(MemoryBudget budget, SessionOwners owners, SessionStates states, SubscriptionQueues queues) {
		this.budget = budget;
		this.owners = owners;
		this.states = states;
		this.queues = queues;
	}

	/**
	 * Attaches a connection to the session of a client.
	 * @param clientId id of the client in Artemis
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
		ClientShare memory = this.budget.open();
		memory.setOwner(() -> this.owners.of(clientId));
		return new SessionMemory(clientId, memory, this.queues);
	}

	/** Returns whether the session of a client outlives its connection. */
	boolean isLasting(String clientId) {
		SessionMemory session = this.sessions.get(clientId);
		return session != null && session.isLasting();
	}

	/** Returns whether a client has a connection. */
	boolean isAttached(String clientId) {
		SessionMemory session = this.sessions.get(clientId);
		return session != null && session.isAttached();
	}

	/**
	 * Reserves the memory of a session that was recovered, even above the limits.
	 * @param clientId id of the client in Artemis
	 * @param filters its topic filters
	 * @param received packet identifiers of QoS 2 messages that it has not released
	 */
	void recovered(String clientId, Set<String> filters, Set<Integer> received) {
		this.sessions.computeIfAbsent(clientId, this::create).recovered(filters, received);
	}

	/** Returns the queues of all subscriptions for which memory is reserved. */
	SubscriptionQueues queues() {
		return this.queues;
	}

	/**
	 * Reconciles all sessions with those in Artemis, and ends sessions if memory is
	 * short.
	 * @return the ids in Artemis of all clients that have a session
	 */
	Set<String> sweep() {
		// The copy may lack sessions that are attached after this line.
		long sweep = this.sweeps.incrementAndGet();
		Map<String, MQTTSessionState> states = this.states.all();
		states.keySet().forEach((clientId) -> this.sessions.computeIfAbsent(clientId, (id) -> {
			SessionMemory session = create(id);
			session.attach(sweep - 1);
			session.detach();
			return session;
		}));
		this.sessions.keySet()
			.forEach((clientId) -> this.sessions.computeIfPresent(clientId,
					(id, session) -> reconcile(session, states.get(id), sweep)));
		this.abandoned = this.states.endAbandoned(states.keySet(), this.abandoned);
		if (this.memoryShort.getAndSet(false)) {
			makeRoom(states);
		}
		return states.keySet();
	}

	/**
	 * Handles the refusal of memory for a session that outlives its connection. If all
	 * such sessions together exhaust their part of the budget, the next sweep ends some.
	 * @param bytes requested size
	 */
	void refused(long bytes) {
		long held = this.budget.used(MemoryUse.SESSION) + this.budget.used(MemoryUse.RETAINED);
		if (held + bytes > this.budget.maxBytes() / LASTING_DIVISOR) {
			this.memoryShort.set(true);
		}
	}

	/**
	 * Ends the sessions that have had no connection for the longest time, as MQTT permits
	 * (MQTT 5 section 4.1).
	 */
	private void makeRoom(Map<String, MQTTSessionState> states) {
		long wanted = this.budget.maxBytes() / ROOM_DIVISOR;
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
			if (session != null && state != null && !session.isAttached() && freed < wanted) {
				freed += session.lastingBytes();
				ended++;
				end(state, () -> true);
			}
		}
		if (ended > 0) {
			logger.warn("Ended {} sessions without a connection to make room for a new one. If this persists, raise "
					+ "--client-memory (statestore.embedded.client-memory)", ended);
		}
	}

	/**
	 * Ends a session, unless it has a connection. A client that connects meanwhile waits.
	 * @param state the session
	 * @param condition evaluated while no client can connect. If it is {@code false}, the
	 * session continues
	 */
	void end(MQTTSessionState state, BooleanSupplier condition) {
		this.sessions.compute(state.getClientId(), (clientId, session) -> {
			if ((session == null || !session.isAttached()) && condition.getAsBoolean()) {
				if (SessionStates.isRecovered(state)) {
					this.states.remove(state);
				}
				else {
					this.states.expire(state);
				}
			}
			return session;
		});
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
		return session.isUnused() ? null : session;
	}

}
