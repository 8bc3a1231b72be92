package io.statestore.broker.session;

import java.util.Map;
import java.util.TreeMap;

import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.Subscribers.Match;
import io.statestore.broker.session.Subscribers.Receivers;
import org.jspecify.annotations.Nullable;

/**
 * Holds all sessions' subscriptions and delivers messages that no session queues. Methods
 * for a single session are called by the state machine or, if the session is not stored,
 * on its connection's event loop. Any thread may call the others.
 * <p>
 * Internal: not part of the API.
 */
public final class Routing {

	private final TopicTree<Subscribers> subscriptions = new TopicTree<>();

	private final RetainedMessages retained;

	Routing(RetainedMessages retained) {
		this.retained = retained;
	}

	/**
	 * Subscribes a session that is not stored. Called on its connection's event loop.
	 * @param session a session that is not stored
	 * @param subscription the granted subscription
	 * @return whether {@link #sendRetained} must follow
	 */
	public boolean subscribe(Session session, Subscription subscription) {
		Subscription replaced = session.subscribe(subscription);
		add(session, subscription);
		return subscription.sendsRetained(replaced == null);
	}

	/**
	 * Delivers retained messages to a session that is not stored. Must not be called
	 * while a change is applied, because an older message might then follow a newer
	 * message.
	 * @param session a session that is not stored
	 * @param subscription a subscription of the session
	 * @param now log time
	 */
	public void sendRetained(Session session, Subscription subscription, long now) {
		this.retained.visit(session, subscription, now,
				(message) -> tryDeliver(session, message, Match.ofRetained(message, subscription)));
	}

	/**
	 * Ends a subscription. Called by the state machine or, for a session that is not
	 * stored, on its connection's event loop.
	 * @param session a session that is not stored
	 * @param filter the topic filter
	 * @return whether the session had this subscription
	 */
	public boolean unsubscribe(Session session, String filter) {
		Subscription removed = session.unsubscribe(filter);
		if (removed != null) {
			remove(session, removed);
		}
		return removed != null;
	}

	/**
	 * Ends a session that is not stored. Called on its connection's event loop.
	 * @param session a session that is not stored
	 */
	public void end(Session session) {
		session.subscriptions().values().forEach((subscription) -> remove(session, subscription));
	}

	void add(Session session, Subscription subscription) {
		this.subscriptions.update(subscription.topicFilter(), (subscribers) -> {
			Subscribers changed = (subscribers != null) ? subscribers : new Subscribers();
			changed.add(session, subscription);
			return changed;
		});
	}

	private void remove(Session session, Subscription subscription) {
		this.subscriptions.update(subscription.topicFilter(), (subscribers) -> {
			if (subscribers != null) {
				subscribers.remove(session, subscription);
			}
			return (subscribers != null && !subscribers.isEmpty()) ? subscribers : null;
		});
	}

	/**
	 * Routes a message. Delivers it to sessions that are not stored, and with QoS 0 to
	 * all sessions, unless {@code later} is set. If more is necessary, returns a change
	 * that does the rest when it is applied. Thread-safe.
	 * @param message the message to publish
	 * @param principal name of the publisher's principal, empty if the publisher is
	 * anonymous
	 * @param connection number of the publisher's connection
	 * @param packetId packet identifier of a message with QoS 2 from a stored session,
	 * otherwise 0
	 * @param later whether to deliver nothing yet, because earlier messages of the
	 * publisher must be delivered first
	 * @return the change to append to the log, {@code null} if none is necessary
	 */
	public @Nullable Publish route(Message message, String principal, long connection, int packetId, boolean later) {
		Receivers receivers = receivers(message);
		// Applying the change detects a repeated message, and delivers a message to
		// retain.
		boolean logged = message.retain() || packetId != 0;
		boolean undelivered = logged || later;
		int[] copies = { 0 };
		receivers.forEach((session, match) -> {
			if (isQueued(session, match)) {
				copies[0]++;
			}
			else if (!undelivered) {
				tryDeliver(session, message, match);
			}
		});
		Map<String, String> members = Map.of();
		for (SharedGroup group : receivers.groups()) {
			SharedGroup.Member member = group.choose();
			if (member == null) {
				continue;
			}
			Match match = Match.of(message, member.subscription());
			if (isQueued(member.session(), match)) {
				members = members.isEmpty() ? new TreeMap<>() : members;
				members.put(group.filter(), member.session().clientId());
			}
			else if (!undelivered) {
				tryDeliver(member.session(), message, match);
			}
		}
		return (logged || copies[0] > 0 || !members.isEmpty()) ? new Publish(message, principal, connection, packetId,
				members, undelivered, copies[0] + members.size()) : null;
	}

	/**
	 * Delivers a message to sessions that are not stored, and with QoS 0 to all sessions.
	 * Thread-safe.
	 * @param message a message for which {@link #route} has returned no change
	 */
	public void deliver(Message message) {
		Receivers receivers = receivers(message);
		receivers.forEach((session, match) -> tryDeliver(session, message, match));
		for (SharedGroup group : receivers.groups()) {
			SharedGroup.Member member = chooseUnqueued(group, message);
			if (member != null) {
				tryDeliver(member.session(), message, Match.of(message, member.subscription()));
			}
		}
	}

	/** Chooses a member that can receive the message without queueing it. */
	static SharedGroup.@Nullable Member chooseUnqueued(SharedGroup group, Message message) {
		return group.chooseOther((each) -> !isQueued(each.session(), Match.of(message, each.subscription())));
	}

	/**
	 * Delivers a message unless the session queues it.
	 * @return {@code false} if the message must first become part of the session
	 */
	static boolean tryDeliver(Session session, Message message, Match match) {
		if (isQueued(session, match)) {
			return false;
		}
		SessionConnection connection = session.connection();
		if (connection != null) {
			connection.deliver(new Delivery(message, match.qos(), match.retain(), match.identifiers(), 0));
		}
		return true;
	}

	static boolean isQueued(Session session, Match match) {
		return session.isStored() && match.qos() > 0;
	}

	Receivers receivers(Message message) {
		Receivers receivers = new Receivers(message);
		this.subscriptions.match(message.topic(), receivers);
		return receivers;
	}

}
