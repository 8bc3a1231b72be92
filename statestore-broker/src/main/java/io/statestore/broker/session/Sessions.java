package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.Expire;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Release;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionChange.Unsubscribe;
import io.statestore.broker.session.Subscribers.Match;
import io.statestore.broker.session.Subscribers.Receivers;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that outlive their connections, the retained messages, and the wills, as a
 * state machine: the same changes at the same log times lead to the same state. Used by
 * one thread, except where a method says otherwise.
 * <p>
 * Internal: not part of the API.
 */
public final class Sessions {

	/** Time for clients to return after a restart, before their wills are published. */
	static final long RESTART_WILL_DELAY = TimeUnit.SECONDS.toNanos(30);

	/** Session Expiry Interval of a session that does not expire. */
	public static final long NO_EXPIRY = 0xFFFF_FFFFL;

	private static final int MAX_EXPIRED = 100;

	private final Map<String, Session> sessions = new ConcurrentHashMap<>();

	private final TopicTree<Subscribers> subscriptions = new TopicTree<>();

	private final TopicTree<Message> retained = new TopicTree<>();

	private final TreeSet<Deadline> deadlines = new TreeSet<>(
			Comparator.comparingLong(Deadline::time).thenComparing(Deadline::retained).thenComparing(Deadline::id));

	/** Delivers a message to sessions that end with their connections. */
	private final Consumer<Message> others;

	/** Number of snapshots that were begun, and 1. */
	private int epoch = 1;

	private long retainedCount;

	private long retainedBytes;

	private long queuedBytes;

	/**
	 * Creates a state machine without sessions.
	 * @param others delivers a will to sessions that are not part of the state
	 */
	public Sessions(Consumer<Message> others) {
		this.others = others;
	}

	/**
	 * Applies a change.
	 * @param change the change. Has no effect if its client has no session
	 * @param now log time, not earlier than in the previous call
	 * @return whether a client that connects continues a session (Session Present)
	 */
	public boolean apply(SessionChange change, long now) {
		if (change instanceof Publish publish) {
			publish(publish);
		}
		else if (change instanceof Acknowledge acknowledge) {
			acknowledge(acknowledge);
		}
		else if (change instanceof Connect connect) {
			return connect(connect, now);
		}
		else if (change instanceof Disconnect disconnect) {
			Session session = this.sessions.get(disconnect.clientId());
			if (session != null) {
				disconnect(session, disconnect, now);
			}
		}
		else if (change instanceof Subscribe subscribe) {
			subscribe(subscribe, now);
		}
		else if (change instanceof Unsubscribe unsubscribe) {
			Session session = this.sessions.get(unsubscribe.clientId());
			if (session != null) {
				unsubscribe.filters().forEach((filter) -> unsubscribe(session, filter));
			}
		}
		else if (change instanceof Release release) {
			Session session = this.sessions.get(release.clientId());
			if (session != null) {
				session.release(release.packetId());
			}
		}
		else if (change instanceof Expire expire) {
			expire(expire, now);
		}
		return false;
	}

	/**
	 * Handles a start of the server, which has ended all connections. Their clients have
	 * some time to return before their wills are published.
	 * @param now log time
	 */
	public void start(long now) {
		for (Session session : this.sessions.values()) {
			if (session.isConnected()) {
				Will will = session.will();
				long end = endOf(session.expirySeconds(), now);
				long willTime = Message.NEVER;
				if (will != null) {
					willTime = now + Math.max(RESTART_WILL_DELAY, TimeUnit.SECONDS.toNanos(will.delaySeconds()));
					end = Math.max(end, willTime);
				}
				session.disconnected(session.expirySeconds(), end, willTime, this.epoch);
				schedule(session);
			}
		}
	}

	private boolean connect(Connect connect, long now) {
		Session earlier = this.sessions.get(connect.clientId());
		boolean present = earlier != null && earlier.isLasting() && !connect.cleanStart();
		if (earlier != null && !present) {
			end(earlier, now);
		}
		Session session = (earlier != null && present) ? earlier : new Session(connect.clientId(), connect.principal());
		this.deadlines.remove(deadline(session));
		session.connected(connect.expirySeconds(), connect.receiveMaximum(), connect.will());
		this.sessions.put(connect.clientId(), session);
		return present;
	}

	private void disconnect(Session session, Disconnect disconnect, long now) {
		Will will = session.will();
		if (will == null || !disconnect.keepsWill()) {
			session.removeWill();
			will = null;
		}
		long end = endOf(disconnect.expirySeconds(), now);
		long willTime = (will != null) ? Math.min(end, now + TimeUnit.SECONDS.toNanos(will.delaySeconds()))
				: Message.NEVER;
		session.disconnected(disconnect.expirySeconds(), end, willTime, this.epoch);
		if (willTime <= now) {
			publishWill(session, now);
		}
		if (end <= now) {
			end(session, now);
		}
		else {
			schedule(session);
		}
	}

	private static long endOf(long expirySeconds, long now) {
		return (expirySeconds == NO_EXPIRY) ? Message.NEVER : now + TimeUnit.SECONDS.toNanos(expirySeconds);
	}

	private void schedule(Session session) {
		Deadline deadline = deadline(session);
		if (deadline.time != Message.NEVER) {
			this.deadlines.add(deadline);
		}
	}

	private static Deadline deadline(Session session) {
		return new Deadline(Math.min(session.end(), session.willTime()), false, session.clientId());
	}

	private void end(Session session, long now) {
		this.deadlines.remove(deadline(session));
		if (session.will() != null) {
			publishWill(session, now);
		}
		session.subscriptions().values().forEach((subscription) -> removeFromTree(session, subscription));
		this.queuedBytes -= session.queuedBytes();
		this.sessions.remove(session.clientId(), session);
	}

	private void publishWill(Session session, long now) {
		Will will = session.will();
		session.removeWill();
		if (will == null) {
			return;
		}
		Message message = will.message();
		if (message.expiry() != Message.NEVER) {
			message = new Message(message.topic(), message.properties(), message.payload(), message.qos(),
					message.retain(), now + message.expiry(), message.publisher());
		}
		publish(message, null);
		this.others.accept(message);
	}

	private void expire(Expire expire, long now) {
		for (int i = 0; i < MAX_EXPIRED && nextDeadline() <= now; i++) {
			Deadline deadline = this.deadlines.pollFirst();
			if (deadline.retained) {
				this.retained.update(deadline.id, (message) -> replaced(message, null));
			}
			else {
				expire(Objects.requireNonNull(this.sessions.get(deadline.id)), expire.denied(), now);
			}
		}
	}

	private void expire(Session session, List<String> denied, long now) {
		if (session.willTime() <= now) {
			if (denied.contains(session.clientId())) {
				session.removeWill();
			}
			publishWill(session, now);
		}
		if (session.end() <= now) {
			end(session, now);
		}
		else {
			schedule(session);
		}
	}

	private void subscribe(Subscribe subscribe, long now) {
		Session session = this.sessions.get(subscribe.clientId());
		if (session == null) {
			return;
		}
		for (Subscription subscription : subscribe.subscriptions()) {
			Subscription replaced = session.subscribe(subscription);
			addToTree(session, subscription);
			if (subscription.sendsRetained(replaced == null)) {
				List<Message> messages = new ArrayList<>();
				visitRetained(subscription, now, messages::add);
				// In an order that is the same after a restart.
				messages.sort(Comparator.comparing(Message::topic));
				messages.forEach((message) -> enqueue(session, message, Match.ofRetained(message, subscription)));
			}
		}
	}

	private void unsubscribe(Session session, String filter) {
		Subscription removed = session.unsubscribe(filter);
		if (removed != null) {
			removeFromTree(session, removed);
		}
	}

	/**
	 * Adds a subscription. May be called by any thread for a session that is not lasting.
	 */
	void addToTree(Session session, Subscription subscription) {
		this.subscriptions.update(subscription.topicFilter(), (subscribers) -> {
			Subscribers changed = (subscribers != null) ? subscribers : new Subscribers();
			changed.add(session, subscription);
			return changed;
		});
	}

	/**
	 * Removes a subscription. May be called by any thread for a session that is not
	 * lasting.
	 */
	void removeFromTree(Session session, Subscription subscription) {
		this.subscriptions.update(subscription.topicFilter(), (subscribers) -> {
			if (subscribers != null) {
				subscribers.remove(session, subscription);
			}
			return (subscribers != null && !subscribers.isEmpty()) ? subscribers : null;
		});
	}

	/** Visits the retained messages of a subscription. May be called by any thread. */
	void visitRetained(Subscription subscription, long now, Consumer<Message> visitor) {
		this.retained.select(subscription.topicFilter(), (message) -> {
			if (!message.isExpired(now)) {
				visitor.accept(message);
			}
		});
	}

	/** Returns the receivers of a message. May be called by any thread. */
	Receivers receivers(Message message) {
		Receivers receivers = new Receivers(message);
		this.subscriptions.match(message.topic(), receivers);
		return receivers;
	}

	private void publish(Publish publish) {
		Session publisher = (publish.packetId() != 0) ? this.sessions.get(publish.message().publisher()) : null;
		if (publisher == null || publisher.receive(publish.packetId())) {
			publish(publish.message(), publish.members());
		}
	}

	/**
	 * Publishes a message.
	 * @param members the members of shared subscriptions that receive it by filter,
	 * {@code null} to choose them
	 */
	private void publish(Message message, @Nullable Map<String, String> members) {
		if (message.retain()) {
			retain(message);
		}
		if (message.qos() == 0) {
			return;
		}
		Receivers receivers = receivers(message);
		receivers.forEach((session, match) -> {
			if (match.qos() > 0 && session.isLasting()) {
				enqueue(session, message, match);
			}
		});
		// In an order that is the same after a restart.
		List<SharedGroup> groups = new ArrayList<>(receivers.groups());
		groups.sort(Comparator.comparing(SharedGroup::filter));
		for (SharedGroup group : groups) {
			String chosen = (members != null) ? members.get(group.filter()) : "";
			SharedGroup.Member member = (chosen != null) ? group.find(chosen) : null;
			if (member != null) {
				enqueue(member.session(), message, Match.of(message, member.subscription()));
			}
		}
	}

	/** Retains a message, or removes the retained one if its payload is empty. */
	private void retain(Message message) {
		this.retained.update(message.topic(),
				(current) -> replaced(current, (message.payload().length > 0) ? message : null));
	}

	private @Nullable Message replaced(@Nullable Message replaced, @Nullable Message message) {
		if (replaced != null) {
			this.retainedCount--;
			this.retainedBytes -= replaced.cost();
			this.deadlines.remove(new Deadline(replaced.expiry(), true, replaced.topic()));
		}
		if (message != null) {
			this.retainedCount++;
			this.retainedBytes += message.cost();
			if (message.expiry() != Message.NEVER) {
				this.deadlines.add(new Deadline(message.expiry(), true, message.topic()));
			}
		}
		return message;
	}

	private void enqueue(Session session, Message message, Match match) {
		SessionConnection connection = session.connection();
		if (match.qos() == 0) {
			if (connection != null) {
				connection.deliver(new Delivery(message, 0, match.retain(), match.identifiers(), 0));
			}
			return;
		}
		long before = session.queuedBytes();
		Delivery delivery = session.add(message, match.qos(), match.retain(), match.identifiers());
		this.queuedBytes += session.queuedBytes() - before;
		if (connection != null) {
			connection.deliver(delivery);
		}
	}

	private void acknowledge(Acknowledge acknowledge) {
		Session session = this.sessions.get(acknowledge.clientId());
		if (session == null) {
			return;
		}
		for (long number : acknowledge.numbers()) {
			this.queuedBytes -= session.acknowledge(number, acknowledge.received(), this.epoch);
		}
	}

	/**
	 * Returns a session. May be called by any thread.
	 * @param clientId client id
	 * @return the session, {@code null} if there is none that outlives its connection or
	 * has a will
	 */
	public @Nullable Session find(String clientId) {
		return this.sessions.get(clientId);
	}

	/**
	 * Returns when an {@link Expire} has an effect.
	 * @return log time, {@link Message#NEVER} without a deadline
	 */
	public long nextDeadline() {
		return this.deadlines.isEmpty() ? Message.NEVER : this.deadlines.first().time;
	}

	/**
	 * Returns the number of sessions.
	 * @return sessions that outlive their connection or have a will
	 */
	public int count() {
		return this.sessions.size();
	}

	/**
	 * Returns the number of retained messages.
	 * @return all that have not been removed, also expired ones
	 */
	public long retainedCount() {
		return this.retainedCount;
	}

	/**
	 * Returns the heap of the retained messages.
	 * @return estimated bytes
	 */
	public long retainedBytes() {
		return this.retainedBytes;
	}

	/**
	 * Returns the heap of the messages that wait in sessions.
	 * @return estimated bytes; a message counts for each session
	 */
	public long queuedBytes() {
		return this.queuedBytes;
	}

	/**
	 * Begins a snapshot, which later changes do not affect.
	 * @return the snapshot, to be encoded by one thread
	 */
	public SessionsSnapshot beginSnapshot() {
		List<Message> retained = new ArrayList<>();
		this.retained.visitAll(retained::add);
		return new SessionsSnapshot(this.sessions.values(), retained, this.epoch++);
	}

	/** Adds a session of a snapshot. */
	void restore(Session session) {
		this.sessions.put(session.clientId(), session);
		this.queuedBytes += session.queuedBytes();
		session.subscriptions().values().forEach((subscription) -> addToTree(session, subscription));
		if (!session.isConnected()) {
			schedule(session);
		}
	}

	/** Adds a retained message of a snapshot. */
	void restore(Message message) {
		retain(message);
	}

	/**
	 * Time at which a session ends, its will is published, or a retained message expires.
	 *
	 * @param time log time
	 * @param retained whether it is that of a retained message
	 * @param id topic of the retained message, or client id
	 */
	private record Deadline(long time, boolean retained, String id) {
	}

}
