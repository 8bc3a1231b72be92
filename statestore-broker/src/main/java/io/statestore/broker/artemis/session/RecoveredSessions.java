package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionChange.Unsubscribed;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSession;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.Topics;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.slf4j.LoggerFactory;

/**
 * Recovery of the sessions of an earlier process, and the end of stored sessions whose
 * expiry has passed. Artemis cannot end a session that has had no connection in this
 * process, and compares wall-clock times. One thread at a time may use it.
 */
final class RecoveredSessions {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(RecoveredSessions.class));

	private final SessionFile file;

	private final SessionStates states;

	private final SessionLedger ledger;

	private final ArtemisQueues queues;

	private final SentMessages sent;

	private final SessionOwners owners;

	RecoveredSessions(SessionFile file, SessionStates states, SessionLedger ledger, ArtemisQueues queues,
			SentMessages sent, SessionOwners owners) {
		this.file = file;
		this.states = states;
		this.ledger = ledger;
		this.queues = queues;
		this.sent = sent;
		this.owners = owners;
	}

	/**
	 * Creates the stored sessions in Artemis, after it has loaded its queues. Removes
	 * expired sessions, and queues without a session.
	 * @throws IOException if the disk fails or is full
	 */
	void recover() throws IOException {
		endDeepSubscriptions();
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
			if (!session.sent().isEmpty()) {
				unacknowledged.add(clientId);
			}
			this.states.recover(clientId, session);
			this.owners.recovered(clientId, session.owner());
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

	/**
	 * Ends stored subscriptions whose filters have too many levels, which an earlier
	 * version has accepted.
	 */
	private void endDeepSubscriptions() throws IOException {
		List<Unsubscribed> ended = new ArrayList<>();
		this.file.forEach((clientId, session) -> session.subscriptions()
			.keySet()
			.stream()
			.filter(Topics::isFilterTooDeep)
			.forEach((filter) -> ended.add(new Unsubscribed(clientId, filter))));
		for (Unsubscribed change : ended) {
			clientLog.warn(
					"Ended the subscription of client '{}' to the filter that begins with '{}': filters have "
							+ "at most {} levels",
					change.clientId().substring(0, change.clientId().length() - 1),
					change.filter().substring(0, Topics.MAX_LEVELS / 2), Topics.MAX_LEVELS);
			this.file.append(change.clientId(), (session) -> List.of(change));
		}
	}

	/** Ends sessions that have expired. */
	void sweep() {
		List<String> expired = new ArrayList<>();
		this.file.forEach((clientId, session) -> {
			if (isExpired(session) && !this.ledger.isAttached(clientId)) {
				expired.add(clientId);
			}
		});
		if (expired.isEmpty()) {
			return;
		}
		Map<String, MQTTSessionState> present = this.states.all();
		expired.forEach((clientId) -> {
			MQTTSessionState state = present.get(clientId);
			if (state != null) {
				// The client may have continued the session meanwhile.
				this.ledger.end(state, () -> isExpired(clientId));
			}
		});
	}

	private boolean isExpired(String clientId) {
		AtomicBoolean expired = new AtomicBoolean();
		this.file.read(clientId, (session) -> expired.set(isExpired(session)));
		return expired.get();
	}

	private boolean isExpired(StoredSession session) {
		return session.detachedAt() != StoredSession.ATTACHED && session.expirySeconds() != StoredSession.NEVER
				&& this.file.clock() - session.detachedAt() >= TimeUnit.SECONDS.toMillis(session.expirySeconds());
	}

}
