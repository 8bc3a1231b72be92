package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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
 * State machine for stored sessions, which outlive their connections, retained messages,
 * and wills. The same changes at the same log times lead to the same state. Log times are
 * in nanoseconds, from {@link SessionLog#now()}.
 * <p>
 * Not thread-safe: calls must be serialized, except where a method says otherwise.
 * <p>
 * Internal: not part of the API.
 */
public final class Sessions {

	/** Time for clients to return after a restart, before their wills are published. */
	static final long RESTART_WILL_DELAY = TimeUnit.SECONDS.toNanos(30);

	/** Session Expiry Interval of a session that does not expire. */
	public static final long NO_EXPIRY = 0xFFFF_FFFFL;

	/** Maximum number of deadlines that one change handles. */
	private static final int MAX_EXPIRED = 100;

	private final Map<String, Session> sessions = new ConcurrentHashMap<>();

	private final TopicTree<Subscribers> subscriptions = new TopicTree<>();

	private final TopicTree<Message> retained = new TopicTree<>();

	private final TreeSet<Deadline> deadlines = new TreeSet<>(
			Comparator.comparingLong(Deadline::time).thenComparing(Deadline::retained).thenComparing(Deadline::id));

	private long maxQueuedBytes = Long.MAX_VALUE;

	/** The snapshot that is being encoded, {@code null} if there is none. */
	private @Nullable SessionsSnapshot snapshot;

	/** Number of connections so far, also of earlier processes. */
	private long connections;

	/** Number of snapshots so far, plus one. */
	private int epoch = 1;

	private long retainedCount;

	private long retainedBytes;

	private long queuedBytes;

	private long dropped;

	/**
	 * Limits the messages queued in each session. A message is dropped if the session has
	 * already reached the limit, so the last accepted message may exceed it. By default,
	 * there is no limit.
	 * @param maxQueuedBytes maximum estimated heap for each session, in bytes
	 */
	public void limit(long maxQueuedBytes) {
		this.maxQueuedBytes = maxQueuedBytes;
	}

	/**
	 * Applies a change.
	 * @param change the change
	 * @param now log time, not earlier than in the previous call
	 * @return the connection of a client that connects, otherwise {@code null}
	 */
	public @Nullable Connected apply(SessionChange change, long now) {
		if (change instanceof Publish publish) {
			publish(publish);
		}
		else if (change instanceof Acknowledge acknowledge) {
			Session session = findStored(acknowledge.clientId(), acknowledge.connection());
			if (session != null) {
				acknowledge(session, acknowledge);
			}
		}
		else if (change instanceof Connect connect) {
			return connect(connect, now);
		}
		else if (change instanceof Disconnect disconnect) {
			Session session = find(disconnect.clientId(), disconnect.connection());
			if (session != null) {
				disconnect(session, disconnect.expirySeconds(), disconnect.keepsWill(), now);
			}
		}
		else if (change instanceof Subscribe subscribe) {
			Session session = findStored(subscribe.clientId(), subscribe.connection());
			if (session != null) {
				subscribe(session, subscribe.subscriptions(), now);
			}
		}
		else if (change instanceof Unsubscribe unsubscribe) {
			Session session = findStored(unsubscribe.clientId(), unsubscribe.connection());
			if (session != null) {
				unsubscribe.filters().forEach((filter) -> unsubscribe(session, filter));
			}
		}
		else if (change instanceof Release release) {
			Session session = findStored(release.clientId(), release.connection());
			if (session != null) {
				session.release(release.packetId());
			}
		}
		else if (change instanceof Expire expire) {
			expire(expire, now);
		}
		return null;
	}

	/** Returns a session, {@code null} unless it has the given connection. */
	private @Nullable Session find(String clientId, long connection) {
		Session session = this.sessions.get(clientId);
		return (session != null && session.isConnected() && session.connectionNumber() == connection) ? session : null;
	}

	private @Nullable Session findStored(String clientId, long connection) {
		Session session = find(clientId, connection);
		return (session != null && session.isStored()) ? session : null;
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
					long requested = now + TimeUnit.SECONDS.toNanos(will.delaySeconds());
					willTime = Math.max(now + RESTART_WILL_DELAY, Math.min(end, requested));
					end = Math.max(end, willTime);
				}
				session.disconnected(session.expirySeconds(), end, willTime, this.epoch);
				session.setInterrupted();
				schedule(session);
			}
		}
	}

	private Connected connect(Connect connect, long now) {
		Session earlier = this.sessions.get(connect.clientId());
		if (earlier != null && earlier.isConnected()) {
			disconnect(earlier, earlier.expirySeconds(), connect.keepsWill(), now);
			earlier = this.sessions.get(connect.clientId());
		}
		boolean present = earlier != null && earlier.isStored() && !connect.cleanStart()
				&& (earlier.principal().isEmpty() || earlier.principal().equals(connect.principal()));
		if (earlier != null) {
			this.deadlines.remove(deadline(earlier));
			if (earlier.isInterrupted() || !connect.keepsWill()) {
				earlier.removeWill();
			}
		}
		Session session = (earlier != null && present) ? earlier
				: new Session(connect.clientId(), connect.expirySeconds() > 0);
		if (earlier != null && !present) {
			end(earlier, now);
		}
		this.connections++;
		session.connected(this.connections, connect);
		this.sessions.put(connect.clientId(), session);
		return new Connected(present, this.connections, session.isStored());
	}

	/**
	 * Passes the messages of a stored session to its connection.
	 * @param clientId client id
	 * @param number number of the connection. Has no effect if it has ended
	 * @param connection receives the messages
	 */
	public void attach(String clientId, long number, SessionConnection connection) {
		Session session = find(clientId, number);
		if (session != null) {
			session.attach(connection);
		}
	}

	private void disconnect(Session session, long expirySeconds, boolean keepsWill, long now) {
		if (!keepsWill) {
			session.removeWill();
		}
		Will will = session.will();
		long end = endOf(expirySeconds, now);
		long willTime = (will != null) ? Math.min(end, now + TimeUnit.SECONDS.toNanos(will.delaySeconds()))
				: Message.NEVER;
		session.disconnected(expirySeconds, end, willTime, this.epoch);
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
		publishWill(session, now);
		end(session);
		this.queuedBytes -= session.queuedBytes();
		this.sessions.remove(session.clientId(), session);
	}

	private void publishWill(Session session, long now) {
		Will will = session.will();
		session.removeWill();
		if (will != null) {
			publish(will.message(now), null, true);
		}
	}

	private void expire(Expire expire, long now) {
		for (int i = 0; i < MAX_EXPIRED && nextDeadline() <= now; i++) {
			Deadline deadline = Objects.requireNonNull(this.deadlines.pollFirst());
			Session session = this.sessions.get(deadline.id);
			if (deadline.retained) {
				this.retained.update(deadline.id, (message) -> replaced(message, null));
			}
			else if (session != null) {
				expire(session, expire.denied(), now);
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

	private void subscribe(Session session, List<Subscription> subscriptions, long now) {
		Map<String, Subscription> last = new LinkedHashMap<>();
		subscriptions.forEach((subscription) -> last.put(subscription.filter(), subscription));
		for (Subscription subscription : last.values()) {
			Subscription replaced = session.subscribe(subscription);
			addToTree(session, subscription);
			if (subscription.sendsRetained(replaced == null)) {
				List<Message> messages = new ArrayList<>();
				visitRetained(session, subscription, now, messages::add);
				// In an order that is the same after a restart.
				messages.sort(Comparator.comparing(Message::topic));
				messages.forEach((message) -> receive(session, message, Match.ofRetained(message, subscription)));
			}
		}
	}

	/**
	 * Subscribes the client of a session that is not stored. Called on the event loop of
	 * its connection.
	 * @param session the session
	 * @param subscription the granted subscription
	 * @param now log time
	 */
	public void subscribe(Session session, Subscription subscription, long now) {
		Subscription replaced = session.subscribe(subscription);
		addToTree(session, subscription);
		if (subscription.sendsRetained(replaced == null)) {
			visitRetained(session, subscription, now,
					(message) -> deliver(session, message, Match.ofRetained(message, subscription)));
		}
	}

	/**
	 * Ends a subscription. Called by the state machine, or for a session that is not
	 * stored on the event loop of its connection.
	 * @param session the session
	 * @param filter the topic filter
	 */
	public void unsubscribe(Session session, String filter) {
		Subscription removed = session.unsubscribe(filter);
		if (removed != null) {
			removeFromTree(session, removed);
		}
	}

	/**
	 * Ends a session that is not stored. Called on the event loop of its connection.
	 * @param session the session
	 */
	public void end(Session session) {
		session.subscriptions().values().forEach((subscription) -> removeFromTree(session, subscription));
	}

	private void addToTree(Session session, Subscription subscription) {
		this.subscriptions.update(subscription.topicFilter(), (subscribers) -> {
			Subscribers changed = (subscribers != null) ? subscribers : new Subscribers();
			changed.add(session, subscription);
			return changed;
		});
	}

	private void removeFromTree(Session session, Subscription subscription) {
		this.subscriptions.update(subscription.topicFilter(), (subscribers) -> {
			if (subscribers != null) {
				subscribers.remove(session, subscription);
			}
			return (subscribers != null && !subscribers.isEmpty()) ? subscribers : null;
		});
	}

	/** Visits the retained messages of a subscription. May be called by any thread. */
	private void visitRetained(Session session, Subscription subscription, long now, Consumer<Message> visitor) {
		this.retained.select(subscription.topicFilter(), (message) -> {
			if (!message.isExpired(now) && subscription.isReceivedBy(session.clientId(), message)) {
				visitor.accept(message);
			}
		});
	}

	/**
	 * Routes a message: delivers it to sessions that are not stored, and to all with QoS
	 * 0, or returns a change that does the rest when it is applied. May be called by any
	 * thread.
	 * @param message the message
	 * @param connection number of the connection of the publisher
	 * @param packetId packet identifier of a message with QoS 2 from a stored session,
	 * otherwise 0
	 * @return the change to append to the log, {@code null} if none is necessary
	 */
	public @Nullable Publish route(Message message, long connection, int packetId) {
		Receivers receivers = receivers(message);
		// A repeated message is found, and a retained one delivered, when it is applied.
		boolean later = message.retain() || packetId != 0;
		boolean[] logged = { later };
		if (!later) {
			receivers.forEach((session, match) -> logged[0] |= !deliver(session, message, match));
		}
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
			else if (!later) {
				deliver(member.session(), message, match);
			}
		}
		return (logged[0] || !members.isEmpty()) ? new Publish(message, connection, packetId, members) : null;
	}

	/** Returns {@code false} if the message must become part of the session first. */
	private static boolean deliver(Session session, Message message, Match match) {
		if (isQueued(session, match)) {
			return false;
		}
		SessionConnection connection = session.connection();
		if (connection != null) {
			connection.deliver(new Delivery(message, match.qos(), match.retain(), match.identifiers(), 0));
		}
		return true;
	}

	private static boolean isQueued(Session session, Match match) {
		return session.isStored() && match.qos() > 0;
	}

	private Receivers receivers(Message message) {
		Receivers receivers = new Receivers(message);
		this.subscriptions.match(message.topic(), receivers);
		return receivers;
	}

	private void publish(Publish publish) {
		boolean exactlyOnce = publish.packetId() != 0;
		if (exactlyOnce) {
			Session publisher = findStored(publish.message().publisher(), publish.connection());
			if (publisher == null || !publisher.receive(publish.packetId())) {
				return;
			}
		}
		publish(publish.message(), publish.members(), exactlyOnce);
	}

	/**
	 * Publishes a message.
	 * @param message the message
	 * @param members the members of shared subscriptions that receive it by filter,
	 * {@code null} for a will, to choose them
	 * @param undeliveredYet whether sessions that are not stored have not received it.
	 * They have never received a retained message or a will
	 */
	private void publish(Message message, @Nullable Map<String, String> members, boolean undeliveredYet) {
		if (message.retain()) {
			retain(message);
		}
		boolean undelivered = undeliveredYet || message.retain() || members == null;
		Receivers receivers = receivers(message);
		receivers.forEach((session, match) -> {
			if (undelivered || isQueued(session, match)) {
				receive(session, message, match);
			}
		});
		// In an order that is the same after a restart.
		List<SharedGroup> groups = new ArrayList<>(receivers.groups());
		groups.sort(Comparator.comparing(SharedGroup::filter));
		for (SharedGroup group : groups) {
			String chosen = (members != null) ? members.get(group.filter()) : "";
			SharedGroup.Member member = (chosen != null) ? group.find(chosen) : null;
			if (member == null && undelivered) {
				member = group.chooseOther();
			}
			if (member != null) {
				receive(member.session(), message, Match.of(message, member.subscription()));
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

	private void receive(Session session, Message message, Match match) {
		if (deliver(session, message, match)) {
			return;
		}
		long before = session.queuedBytes();
		if (before >= this.maxQueuedBytes) {
			this.dropped++;
			return;
		}
		session.add(message, match.qos(), match.retain(), match.identifiers());
		this.queuedBytes += session.queuedBytes() - before;
	}

	private void acknowledge(Session session, Acknowledge acknowledge) {
		long before = session.queuedBytes();
		for (long number : acknowledge.numbers()) {
			session.acknowledge(number, acknowledge.received(), this.epoch, this.snapshot != null);
		}
		this.queuedBytes += session.queuedBytes() - before;
	}

	/**
	 * Returns a session. May be called by any thread.
	 * @param clientId client id
	 * @return the session, {@code null} if the state contains none. May be a session that
	 * is not stored, if its client has a will or replaced another session
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
	 * Returns the clients whose wills the next {@link Expire} publishes.
	 * @param now log time
	 * @return their sessions
	 */
	public List<Session> dueWills(long now) {
		List<Session> due = new ArrayList<>();
		int visited = 0;
		for (Deadline deadline : this.deadlines) {
			if (deadline.time > now || visited == MAX_EXPIRED) {
				return due;
			}
			visited++;
			Session session = deadline.retained ? null : this.sessions.get(deadline.id);
			if (session != null && session.willTime() <= now) {
				due.add(session);
			}
		}
		return due;
	}

	/**
	 * Returns the number of sessions.
	 * @return sessions that are stored or have a will
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
	 * Returns the number of messages that were dropped because of {@link #limit}.
	 * @return the number since the start of this process
	 */
	public long dropped() {
		return this.dropped;
	}

	/**
	 * Begins a snapshot, which later changes do not affect.
	 * @return the snapshot, to be encoded by one thread, and to be followed by
	 * {@link #endSnapshot}
	 * @throws IllegalStateException if another one has not ended
	 */
	public SessionsSnapshot beginSnapshot() {
		if (this.snapshot != null) {
			throw new IllegalStateException("End the earlier snapshot first");
		}
		List<Message> retained = new ArrayList<>();
		this.retained.visitAll(retained::add);
		this.snapshot = new SessionsSnapshot(this.sessions.values(), retained, this.connections, this.epoch++);
		return this.snapshot;
	}

	/** Ends the snapshot, which was encoded or is not needed. */
	public void endSnapshot() {
		this.snapshot = null;
	}

	/** Sets the number of connections of a snapshot. */
	void restore(long connections) {
		this.connections = connections;
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
	 * A new connection of a client.
	 *
	 * @param present whether it continues a session (Session Present)
	 * @param number number of the connection, which later changes of the client contain
	 * @param stored whether its session is stored
	 */
	public record Connected(boolean present, long number, boolean stored) {
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
