package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.statestore.broker.session.SessionMemory.User;
import io.statestore.broker.session.Subscribers.Match;
import io.statestore.broker.session.Subscribers.Receivers;
import org.jspecify.annotations.Nullable;

/**
 * Distributes messages to sessions and subscribes stored sessions, within memory limits.
 * Part of the state machine.
 */
final class Distributor {

	private final Routing routing;

	private final RetainedMessages retained;

	private final SessionMemory memory;

	private final Eviction eviction;

	Distributor(Routing routing, RetainedMessages retained, SessionMemory memory, Eviction eviction) {
		this.routing = routing;
		this.retained = retained;
		this.memory = memory;
		this.eviction = eviction;
	}

	Set<String> subscribe(Session session, List<Subscription> subscriptions, long now) {
		Set<String> refused = new LinkedHashSet<>();
		Map<String, Subscription> last = new LinkedHashMap<>();
		subscriptions.forEach((subscription) -> last.put(subscription.filter(), subscription));
		for (Subscription subscription : last.values()) {
			Subscription replaced = session.subscriptions().get(subscription.filter());
			long cost = (replaced == null) ? SessionMemory.ofSubscription(subscription.filter()) : 0;
			if (cost > 0 && !this.eviction.makeRoom(session, cost, now)) {
				refused.add(subscription.filter());
				continue;
			}
			this.memory.hold(session, cost);
			session.subscribe(subscription);
			this.routing.add(session, subscription);
			if (subscription.sendsRetained(replaced == null)) {
				List<Message> messages = new ArrayList<>();
				this.retained.visit(session, subscription, now, messages::add);
				// Sorted so that the order is the same after a restart.
				messages.sort(Comparator.comparing(Message::topic));
				messages.forEach((message) -> receive(session, message, Match.ofRetained(message, subscription), now));
			}
		}
		return refused;
	}

	Set<String> unsubscribe(Session session, List<String> filters) {
		Set<String> unknown = new LinkedHashSet<>();
		for (String filter : filters) {
			if (this.routing.unsubscribe(session, filter)) {
				this.memory.hold(session, -SessionMemory.ofSubscription(filter));
			}
			else {
				unknown.add(filter);
			}
		}
		return unknown;
	}

	/**
	 * Publishes a message.
	 * @param message the message to publish
	 * @param user the user who publishes it
	 * @param members the shared subscription members that receive it, by filter;
	 * {@code null} for a will, whose members are chosen here
	 * @param undelivered whether sessions that are not stored have yet to receive it;
	 * always assumed for a retained message or a will
	 * @return {@code false} if the message could not be retained and was therefore
	 * refused. A will is delivered in any case
	 */
	boolean publish(Message message, User user, @Nullable Map<String, String> members, boolean undelivered, long now) {
		if (message.retain() && !retain(message, user, now) && members != null) {
			return false;
		}
		boolean deliver = undelivered || message.retain() || members == null;
		Receivers receivers = this.routing.receivers(message);
		// When memory is exhausted, the same sessions must receive the message after a
		// restart.
		Map<Session, Match> queued = new TreeMap<>(Comparator.comparing(Session::clientId));
		receivers.forEach((session, match) -> {
			if (Routing.isQueued(session, match)) {
				queued.put(session, match);
			}
			else if (deliver) {
				Routing.tryDeliver(session, message, match);
			}
		});
		queued.forEach((session, match) -> receive(session, message, match, now));
		// Sorted so that the order is the same after a restart.
		List<SharedGroup> groups = new ArrayList<>(receivers.groups());
		groups.sort(Comparator.comparing(SharedGroup::filter));
		for (SharedGroup group : groups) {
			// For a will, the group finds the same member on every node.
			String chosen = (members != null) ? members.get(group.filter()) : "";
			SharedGroup.Member member = (chosen != null) ? group.find(chosen) : null;
			if (member == null && deliver) {
				member = Routing.chooseUnqueued(group, message);
			}
			if (member != null) {
				receive(member.session(), message, Match.of(message, member.subscription()), now);
			}
		}
		return true;
	}

	/** Retains a message. Returns {@code false} if memory is exhausted. */
	private boolean retain(Message message, User user, long now) {
		long cost = this.retained.additionalCost(message, user);
		if (cost > 0 && !this.eviction.makeRoom(user, cost, now)) {
			return false;
		}
		this.retained.put(message, user);
		return true;
	}

	private void receive(Session session, Message message, Match match, long now) {
		if (Routing.tryDeliver(session, message, match)) {
			return;
		}
		Delivery delivery = session.next(message, match.qos(), match.retain(), match.identifiers());
		if (session.isEnded()) {
			return;
		}
		if (!this.eviction.makeRoom(session, delivery.cost(), now)) {
			this.eviction.lost(0, 0, 1, session.user());
			return;
		}
		long before = session.queuedBytes();
		session.add(delivery);
		this.memory.queueChanged(session, before);
	}

}
