package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Subscriptions to one topic filter. Changed by one thread at a time; any thread may read
 * them concurrently.
 */
final class Subscribers {

	private final Map<Session, Subscription> members = new ConcurrentHashMap<>(1);

	/** Shared subscriptions by group name. */
	private volatile Map<String, SharedGroup> groups = Map.of();

	void add(Session session, Subscription subscription) {
		if (!subscription.isShared()) {
			this.members.put(session, subscription);
			return;
		}
		if (this.groups.isEmpty()) {
			this.groups = new ConcurrentHashMap<>();
		}
		this.groups.computeIfAbsent(subscription.group(), (group) -> new SharedGroup(subscription.filter()))
			.add(session, subscription);
	}

	void remove(Session session, Subscription subscription) {
		if (!subscription.isShared()) {
			this.members.remove(session);
			return;
		}
		SharedGroup group = this.groups.get(subscription.group());
		if (group != null) {
			group.remove(session);
			if (group.isEmpty()) {
				this.groups.remove(subscription.group());
			}
		}
	}

	boolean isEmpty() {
		return this.members.isEmpty() && this.groups.isEmpty();
	}

	/**
	 * The receivers of a message: the sessions with matching subscriptions, and how they
	 * match.
	 */
	static final class Receivers implements Consumer<Subscribers> {

		private final Message message;

		private @Nullable Subscribers first;

		/** Receivers if more than one filter matches, {@code null} otherwise. */
		private @Nullable Map<Session, Match> merged;

		/** Shared subscription groups; one member of each receives the message. */
		private List<SharedGroup> groups = List.of();

		Receivers(Message message) {
			this.message = message;
		}

		@Override
		public void accept(Subscribers subscribers) {
			if (!subscribers.groups.isEmpty()) {
				if (this.groups.isEmpty()) {
					this.groups = new ArrayList<>();
				}
				this.groups.addAll(subscribers.groups.values());
			}
			if (subscribers.members.isEmpty()) {
				return;
			}
			if (this.first == null) {
				this.first = subscribers;
				return;
			}
			if (this.merged == null) {
				this.merged = new HashMap<>();
				merge(this.merged, this.first);
			}
			merge(this.merged, subscribers);
		}

		private void merge(Map<Session, Match> merged, Subscribers subscribers) {
			subscribers.members.forEach((session, subscription) -> {
				if (isReceived(session, subscription)) {
					merged.merge(session, Match.of(this.message, subscription), Match::with);
				}
			});
		}

		private boolean isReceived(Session session, Subscription subscription) {
			return subscription.isReceivedBy(session.clientId(), this.message);
		}

		List<SharedGroup> groups() {
			return this.groups;
		}

		void forEach(BiConsumer<Session, Match> visitor) {
			if (this.merged != null) {
				this.merged.forEach(visitor);
			}
			else if (this.first != null) {
				this.first.members.forEach((session, subscription) -> {
					if (isReceived(session, subscription)) {
						visitor.accept(session, Match.of(this.message, subscription));
					}
				});
			}
		}

	}

	/** How a message matches a session's subscriptions. */
	static final class Match {

		private static final int[] NONE = new int[0];

		private int qos;

		private boolean retain;

		private int[] identifiers;

		private int count;

		private Match(int qos, boolean retain, int identifier) {
			this.qos = qos;
			this.retain = retain;
			this.identifiers = (identifier != 0) ? new int[] { identifier } : NONE;
			this.count = this.identifiers.length;
		}

		static Match of(Message message, Subscription subscription) {
			return of(message, subscription, message.retain() && subscription.retainsAsPublished());
		}

		/** Returns how a retained message matches a new subscription. */
		static Match ofRetained(Message message, Subscription subscription) {
			return of(message, subscription, true);
		}

		private static Match of(Message message, Subscription subscription, boolean retain) {
			return new Match(Math.min(message.qos(), subscription.qos()), retain, subscription.identifier());
		}

		private Match with(Match other) {
			this.qos = Math.max(this.qos, other.qos);
			this.retain |= other.retain;
			for (int i = 0; i < other.count; i++) {
				if (this.count == this.identifiers.length) {
					this.identifiers = Arrays.copyOf(this.identifiers, 1 + 2 * this.count);
				}
				this.identifiers[this.count++] = other.identifiers[i];
			}
			return this;
		}

		/** Returns the QoS for the session. */
		int qos() {
			return this.qos;
		}

		/** Returns the RETAIN flag for the session. */
		boolean retain() {
			return this.retain;
		}

		/** Returns the Subscription Identifiers. */
		int[] identifiers() {
			return (this.count == this.identifiers.length) ? this.identifiers
					: Arrays.copyOf(this.identifiers, this.count);
		}

	}

}
