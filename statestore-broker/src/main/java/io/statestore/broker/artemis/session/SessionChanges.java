package io.statestore.broker.artemis.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.statestore.broker.artemis.disk.SessionChange;
import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionChange.Owned;
import io.statestore.broker.artemis.disk.SessionChange.Received;
import io.statestore.broker.artemis.disk.SessionChange.Released;
import io.statestore.broker.artemis.disk.SessionChange.Subscribed;
import io.statestore.broker.artemis.disk.SessionChange.Unsubscribed;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSession;
import io.statestore.broker.artemis.disk.StoredSubscription;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.jspecify.annotations.Nullable;

/** Differences between sessions in Artemis and stored ones. Thread-safe. */
final class SessionChanges {

	private final SessionFile file;

	/** Returns the name of a queue, from a client id in Artemis and a filter. */
	private final BinaryOperator<String> queueNames;

	private final UnwrittenIds unwritten;

	private final SessionOwners owners;

	/**
	 * Expiry in seconds of sessions whose connection has ended, by client id. They do not
	 * expire in Artemis, which compares wall-clock times.
	 */
	private final Map<String, Integer> expiries = new ConcurrentHashMap<>();

	SessionChanges(SessionFile file, BinaryOperator<String> queueNames, UnwrittenIds unwritten, SessionOwners owners) {
		this.file = file;
		this.queueNames = queueNames;
		this.unwritten = unwritten;
		this.owners = owners;
	}

	/** Returns the change that ends a session, none if it is not stored. */
	static List<SessionChange> ended(String clientId, @Nullable StoredSession stored) {
		return (stored != null) ? List.of(new Ended(clientId)) : List.of();
	}

	/**
	 * Returns the changes for the end of a connection, which may end the session. If it
	 * may expire later, {@link RecoveredSessions} will end it instead of Artemis.
	 */
	List<SessionChange> detached(@Nullable StoredSession stored, MQTTSessionState session) {
		String clientId = session.getClientId();
		int expiry = session.getClientSessionExpiryInterval();
		if (expiry == 0) {
			return ended(clientId, stored);
		}
		if (stored == null || expiry == StoredSession.NEVER) {
			return List.of();
		}
		this.expiries.put(clientId, expiry);
		session.setClientSessionExpiryInterval(StoredSession.NEVER);
		return List.of(new Kept(clientId, expiry, this.file.clock()));
	}

	/** Handles a new connection, which has set the expiry. */
	void attached(String clientId) {
		this.expiries.remove(clientId);
	}

	/** Forgets the expiry of all sessions that have ended. */
	void retain(Predicate<String> present) {
		this.expiries.keySet().removeIf((clientId) -> !present.test(clientId));
	}

	/** Returns the change for a PUBREC, none if it is stored already. */
	static List<SessionChange> received(String clientId, int packetId, @Nullable StoredSession stored) {
		return (stored != null && !stored.received().contains(packetId)) ? List.of(new Received(clientId, packetId))
				: List.of();
	}

	/** Returns the change for a PUBCOMP, none if it is stored already. */
	static List<SessionChange> released(String clientId, int packetId, @Nullable StoredSession stored) {
		return (stored != null && stored.received().contains(packetId)) ? List.of(new Released(clientId, packetId))
				: List.of();
	}

	/**
	 * Returns the changes from a stored session to the session in Artemis.
	 * @param stored the stored session, or {@code null} if there is none
	 * @param session the session in Artemis
	 */
	List<SessionChange> between(@Nullable StoredSession stored, MQTTSessionState session) {
		String clientId = session.getClientId();
		List<SessionChange> changes = new ArrayList<>();
		long detachedAt = detachedAt(session, stored);
		int expiry = expiry(session, stored);
		if (stored == null || stored.expirySeconds() != expiry || stored.detachedAt() != detachedAt) {
			changes.add(new Kept(clientId, expiry, detachedAt));
		}
		String owner = this.owners.of(clientId);
		if (!owner.equals((stored != null) ? stored.owner() : StoredSession.ANONYMOUS)) {
			changes.add(new Owned(clientId, owner));
		}
		Map<String, StoredSubscription> known = (stored != null) ? stored.subscriptions() : Map.of();
		Map<String, StoredSubscription> present = SessionStates.subscriptions(session);
		present.values()
			.stream()
			.filter((subscription) -> !subscription.equals(known.get(subscription.filter())))
			.forEach((subscription) -> changes.add(new Subscribed(clientId, subscription)));
		Set<String> left = known.keySet()
			.stream()
			.filter((filter) -> !present.containsKey(filter))
			.collect(Collectors.toSet());
		left.forEach((filter) -> changes.add(new Unsubscribed(clientId, filter)));
		if (stored != null) {
			addForgottenMessages(clientId, stored, left, changes);
			stored.received()
				.stream()
				.filter((packetId) -> !session.getPubRec().contains(packetId))
				.forEach((packetId) -> changes.add(new Released(clientId, packetId)));
		}
		this.unwritten.of(clientId)
			.stream()
			.filter((packetId) -> session.getPubRec().contains(packetId))
			.filter((packetId) -> stored == null || !stored.received().contains(packetId))
			.forEach((packetId) -> changes.add(new Received(clientId, packetId)));
		return changes;
	}

	/** Adds the messages of subscriptions that have ended. */
	private void addForgottenMessages(String clientId, StoredSession stored, Set<String> left,
			List<SessionChange> changes) {
		Set<String> queues = left.stream()
			.map((filter) -> this.queueNames.apply(clientId, filter))
			.collect(Collectors.toSet());
		List<Integer> forgotten = stored.sent()
			.entrySet()
			.stream()
			.filter((sent) -> queues.contains(sent.getValue().queue()))
			.map(Map.Entry::getKey)
			.toList();
		changes.addAll(SentMessages.gone(clientId, stored, forgotten));
	}

	private long detachedAt(MQTTSessionState session, @Nullable StoredSession stored) {
		if (session.isAttached()) {
			return StoredSession.ATTACHED;
		}
		return (stored != null && stored.detachedAt() != StoredSession.ATTACHED) ? stored.detachedAt()
				: this.file.clock();
	}

	/** Returns the expiry, which Artemis knows only while there is a connection. */
	private int expiry(MQTTSessionState session, @Nullable StoredSession stored) {
		Integer expiry = this.expiries.get(session.getClientId());
		if (expiry != null) {
			return expiry;
		}
		return (SessionStates.isRecovered(session) && stored != null) ? stored.expirySeconds()
				: session.getClientSessionExpiryInterval();
	}

}
