package io.statestore.broker.mqtt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.memory.MemoryBudget;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.jspecify.annotations.Nullable;

/**
 * The memory of all MQTT sessions by client id. Sessions outlive connections, and Artemis
 * does not report their end, so they are compared with those of Artemis regularly. Safe
 * for use by several threads.
 */
final class SessionLedger {

	private final Map<String, SessionMemory> sessions = new ConcurrentHashMap<>();

	private final MemoryBudget budget;

	private final ArtemisBridge broker;

	private final AtomicLong sweeps = new AtomicLong();

	SessionLedger(MemoryBudget budget, ArtemisBridge broker) {
		this.budget = budget;
		this.broker = broker;
	}

	/**
	 * Attaches a connection to the session of a client.
	 * @param clientId of the client, empty if the broker is to assign one
	 * @return the session, to be detached when the connection has ended
	 */
	SessionMemory attach(String clientId) {
		if (clientId.isEmpty()) {
			return open(null);
		}
		return this.sessions.compute(clientId, (id, known) -> open(known));
	}

	private SessionMemory open(@Nullable SessionMemory known) {
		SessionMemory session = (known != null) ? known : new SessionMemory(this.budget.open());
		session.attach(this.sweeps.get());
		return session;
	}

	/** Registers a session whose client id the broker has assigned. */
	void assigned(String clientId, SessionMemory session) {
		SessionMemory found = this.sessions.put(clientId, session);
		if (found != null) {
			found.end();
		}
	}

	/** Compares all sessions with those that the broker holds. */
	void sweep() {
		// Sessions that are attached from here on may be missing in the copy.
		long sweep = this.sweeps.incrementAndGet();
		Map<String, MQTTSessionState> states = this.broker.sessions();
		states.keySet().forEach((clientId) -> this.sessions.computeIfAbsent(clientId, (id) -> {
			SessionMemory session = new SessionMemory(this.budget.open());
			session.attach(sweep - 1);
			session.detach();
			return session;
		}));
		this.sessions.keySet()
			.forEach((clientId) -> this.sessions.computeIfPresent(clientId,
					(id, session) -> reconcile(id, session, states.get(id), sweep)));
	}

	private static @Nullable SessionMemory reconcile(String clientId, SessionMemory session,
			@Nullable MQTTSessionState state, long sweep) {
		if (state != null) {
			session.reconcile(clientId, () -> state.getSubscriptionsPlusID().keySet(),
					state.getClientSessionExpiryInterval() != 0, sweep);
		}
		else {
			session.reconcile(clientId, null, false, sweep);
		}
		return session.isGone() ? null : session;
	}

}
