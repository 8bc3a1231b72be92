package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSession;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;

/**
 * Sessions of an earlier process that have had no connection since. Artemis cannot end
 * them, because it does so through the latest connection. One thread at a time may use
 * it.
 */
final class RecoveredSessions {

	private final SessionFile file;

	private final SessionStates states;

	private final SessionLedger ledger;

	private final ArtemisQueues queues;

	private final SentMessages sent;

	/** Clients whose recovered session may expire. */
	private final Set<String> expiring = new HashSet<>();

	RecoveredSessions(SessionFile file, SessionStates states, SessionLedger ledger, ArtemisQueues queues,
			SentMessages sent) {
		this.file = file;
		this.states = states;
		this.ledger = ledger;
		this.queues = queues;
		this.sent = sent;
	}

	/**
	 * Creates the stored sessions in Artemis, after it has loaded its queues. Removes
	 * expired sessions, and queues without a session.
	 * @throws IOException if the disk fails or is full
	 */
	void recover() throws IOException {
		List<String> attached = new ArrayList<>();
		List<String> unacknowledged = new ArrayList<>();
		List<String> expired = new ArrayList<>();
		this.file.forEach((clientId, session) -> {
			if (isExpired(session)) {
				expired.add(clientId);
				return;
			}
			if (session.detachedAt() == StoredSession.ATTACHED) {
				attached.add(clientId);
			}
			if (session.expirySeconds() != StoredSession.NEVER) {
				this.expiring.add(clientId);
			}
			if (!session.sent().isEmpty()) {
				unacknowledged.add(clientId);
			}
			this.states.recover(clientId, session);
			this.ledger.recovered(clientId, session.subscriptions().keySet(), session.received());
		});
		for (String clientId : expired) {
			this.file.append(clientId, (session) -> List.of(new Ended(clientId)));
		}
		for (String clientId : attached) {
			this.file.append(clientId, (session) -> (session != null)
					? List.of(new Kept(clientId, session.expirySeconds(), this.file.clock())) : List.of());
		}
		for (String clientId : unacknowledged) {
			this.sent.recovered(clientId, this.queues);
		}
		this.queues.ofSubscriptions()
			.filter((queue) -> !this.ledger.queues().contains(queue))
			.toList()
			.forEach(this.queues::remove);
	}

	/** Ends sessions that have expired. */
	void sweep() {
		if (this.expiring.isEmpty()) {
			return;
		}
		Map<String, MQTTSessionState> present = this.states.all();
		this.expiring.removeIf((clientId) -> {
			MQTTSessionState state = present.get(clientId);
			return state == null || !SessionStates.isRecovered(state);
		});
		List<String> expired = new ArrayList<>();
		this.file.forEach((clientId, session) -> {
			if (this.expiring.contains(clientId) && isExpired(session) && !this.ledger.isAttached(clientId)) {
				expired.add(clientId);
			}
		});
		expired.forEach((clientId) -> {
			MQTTSessionState state = present.get(clientId);
			if (state != null) {
				// The client may have continued the session meanwhile.
				this.ledger.end(state, () -> SessionStates.isRecovered(state));
			}
		});
	}

	private boolean isExpired(StoredSession session) {
		return session.detachedAt() != StoredSession.ATTACHED && session.expirySeconds() != StoredSession.NEVER
				&& this.file.clock() - session.detachedAt() >= TimeUnit.SECONDS.toMillis(session.expirySeconds());
	}

}
