package io.statestore.broker.artemis.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

import io.statestore.broker.artemis.disk.SessionChange;
import io.statestore.broker.artemis.disk.SessionChange.Acknowledged;
import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
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

	SessionChanges(SessionFile file, BinaryOperator<String> queueNames, UnwrittenIds unwritten) {
		this.file = file;
		this.queueNames = queueNames;
		this.unwritten = unwritten;
	}

	/** Returns the change that ends a session, none if it is not stored. */
	static List<SessionChange> ended(String clientId, @Nullable StoredSession stored) {
		return (stored != null) ? List.of(new Ended(clientId)) : List.of();
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
		stored.sent().forEach((packetId, message) -> {
			if (queues.contains(message.queue())) {
				changes.add(new Acknowledged(clientId, packetId));
			}
		});
	}

	private long detachedAt(MQTTSessionState session, @Nullable StoredSession stored) {
		if (session.isAttached()) {
			return StoredSession.ATTACHED;
		}
		return (stored != null && stored.detachedAt() != StoredSession.ATTACHED) ? stored.detachedAt()
				: this.file.clock();
	}

	/** Returns the expiry, which a recovered session does not have in Artemis. */
	private static int expiry(MQTTSessionState session, @Nullable StoredSession stored) {
		return (SessionStates.isRecovered(session) && stored != null) ? stored.expirySeconds()
				: session.getClientSessionExpiryInterval();
	}

}
