package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.DeliveryQueue.Kept;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.End;
import io.statestore.broker.session.SessionChange.Expire;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Release;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionChange.Unsubscribe;
import io.statestore.broker.session.SessionMemory.User;
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
	private static final int MAX_EXPIRED = 500;

	private final Map<String, Session> sessions = new ConcurrentHashMap<>();

	private final TopicTree<Subscribers> subscriptions = new TopicTree<>();

	private final TopicTree<Retained> retained = new TopicTree<>();

	private final SessionMemory memory = new SessionMemory();

	private final TreeSet<Deadline> deadlines = new TreeSet<>(
			Comparator.comparingLong(Deadline::time).thenComparing(Deadline::retained).thenComparing(Deadline::id));

	/** The snapshot that is being encoded, {@code null} if there is none. */
	private @Nullable SessionsSnapshot snapshot;

	/** Completed messages that the snapshot may need. */
	private @Nullable Kept kept;

	/** Number of connections so far, also of earlier processes. */
	private long connections;

	/** Number of snapshots so far, plus one. */
	private int epoch = 1;

	private volatile Losses losses = new Losses(0, 0, 0, "");

	/**
	 * Limits the estimated heap of sessions, queued messages, and retained messages. One
	 * user may hold three quarters of it. When it is exhausted, the user who holds the
	 * most loses sessions without a connection, retained messages, or queued messages, in
	 * this order. By default, there is no limit.
	 * @param maxBytes maximum of all, in bytes
	 * @param maxBytesPerSession maximum of each session with its messages, in bytes
	 */
	public void limit(long maxBytes, long maxBytesPerSession) {
		this.memory.limit(maxBytes, maxBytesPerSession);
	}

	/**
	 * Applies a change.
	 * @param change the change
	 * @param now log time, not earlier than in the previous call
	 * @return its effect
	 */
	public Applied apply(SessionChange change, long now) {
		if (change instanceof Publish publish) {
			return publish(publish, now) ? Applied.DONE : Applied.REFUSED;
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
				return new Applied(false, null, subscribe(session, subscribe.subscriptions(), now));
			}
		}
		else if (change instanceof Unsubscribe unsubscribe) {
			Session session = findStored(unsubscribe.clientId(), unsubscribe.connection());
			if (session != null) {
				return new Applied(false, null, unsubscribe(session, unsubscribe.filters()));
			}
		}
		else if (change instanceof Release release) {
			Session session = findStored(release.clientId(), release.connection());
			if (session != null) {
				release(session, release.packetId());
			}
		}
		else if (change instanceof End end) {
			return end(end, now);
		}
		else if (change instanceof Expire expire) {
			expire(expire, now);
		}
		return Applied.DONE;
	}

	private void hold(Session session, long bytes) {
		session.hold(bytes);
		this.memory.hold(session.user(), bytes);
	}

	/**
	 * Makes room for what a user is to hold.
	 * @return {@code false} if it must be refused
	 */
	private boolean makeRoom(User user, long bytes, long now) {
		User loser = this.memory.loser(user, bytes);
		while (loser != null && loser != user && takeFrom(loser, now)) {
			loser = this.memory.loser(user, bytes);
		}
		return loser == null;
	}

	/** Returns whether a session may hold more. */
	private boolean makeRoom(Session session, long bytes, long now) {
		return session.bytes() + bytes <= this.memory.maxBytesPerSession() && makeRoom(session.user(), bytes, now);
	}

	private boolean takeFrom(User user, long now) {
		if (!user.detached().isEmpty()) {
			Session session = Objects.requireNonNull(this.sessions.get(user.detached().iterator().next()));
			this.deadlines.remove(deadline(session));
			// Nobody has checked whether its will may be published.
			removeWill(session);
			end(session, now);
			this.losses = this.losses.with(1, 0, 0, user);
			return true;
		}
		if (!user.retained().isEmpty()) {
			this.retained.update(user.retained().keySet().iterator().next(), (message) -> replaced(message, null));
			this.losses = this.losses.with(0, 1, 0, user);
			return true;
		}
		if (user.backlogged().isEmpty()) {
			return false;
		}
		Session session = Objects.requireNonNull(this.sessions.get(user.backlogged().first()));
		long before = session.queuedBytes();
		int count = session.dropQueued(this.epoch, this.kept);
		queueChanged(session, before);
		this.losses = this.losses.with(0, 0, count, user);
		return true;
	}

	/** Accounts for a change of the queue of a session. */
	private void queueChanged(Session session, long bytesBefore) {
		this.memory.hold(session.user(), session.queuedBytes() - bytesBefore);
		if (session.isBacklogged()) {
			session.user().backlogged().add(session.clientId());
		}
		else {
			session.user().backlogged().remove(session.clientId());
		}
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
	 * some time to return before their wills are published, also those of an earlier
	 * start.
	 * @param now log time
	 */
	public void start(long now) {
		List<Session> interrupted = this.sessions.values()
			.stream()
			.filter((each) -> each.isConnected() || each.isInterrupted())
			.sorted(Comparator.comparing(Session::clientId))
			.toList();
		// Distinct, so that one change does not publish all of them.
		long earliest = now + RESTART_WILL_DELAY;
		for (Session session : interrupted) {
			this.deadlines.remove(deadline(session));
			boolean connected = session.isConnected();
			Will will = session.will();
			long end = connected ? endOf(session.expirySeconds(), now) : session.end();
			long willTime = Message.NEVER;
			if (will != null) {
				long requested = connected ? Math.min(end, now + TimeUnit.SECONDS.toNanos(will.delaySeconds()))
						: session.willTime();
				willTime = Math.max(earliest, requested);
				end = Math.max(end, willTime);
				earliest++;
			}
			if (connected) {
				session.disconnected(session.expirySeconds(), end, willTime, this.epoch);
				session.setInterrupted();
				session.user().detached().add(session.clientId());
			}
			else {
				session.setDeadlines(end, willTime);
			}
			schedule(session);
		}
	}

	private Applied connect(Connect connect, long now) {
		User user = this.memory.user(connect.principal());
		long cost = cost(connect.clientId(), connect.will());
		boolean lasting = connect.expirySeconds() > 0 || connect.will() != null;
		if (lasting && !this.sessions.containsKey(connect.clientId()) && !makeRoom(user, cost, now)) {
			return Applied.REFUSED;
		}
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
				removeWill(earlier);
			}
			earlier.user().detached().remove(earlier.clientId());
		}
		Session session = (earlier != null && present) ? earlier
				: new Session(connect.clientId(), connect.expirySeconds() > 0);
		if (earlier != null && present) {
			this.memory.hold(earlier.user(), -earlier.bytes());
			earlier.user().backlogged().remove(earlier.clientId());
		}
		else if (earlier != null) {
			end(earlier, now);
		}
		this.connections++;
		session.connected(this.connections, connect);
		session.setUser(user, cost);
		this.memory.hold(user, session.bytes());
		queueChanged(session, session.queuedBytes());
		this.sessions.put(connect.clientId(), session);
		return new Applied(false, new Connected(present, this.connections, session.isStored()), Set.of());
	}

	/** Returns the heap of a session without subscriptions and messages. */
	private static long cost(String clientId, @Nullable Will will) {
		return SessionMemory.SESSION + 2L * clientId.length() + ((will != null) ? will.message().cost() : 0);
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
			removeWill(session);
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
			session.user().detached().add(session.clientId());
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
		// Its will must not end it once more.
		session.user().detached().remove(session.clientId());
		publishWill(session, now);
		end(session);
		session.setEnded();
		session.user().backlogged().remove(session.clientId());
		this.memory.hold(session.user(), -session.bytes());
		this.sessions.remove(session.clientId(), session);
	}

	private Applied end(End end, long now) {
		Session session = this.sessions.get(end.clientId());
		if (session == null) {
			return new Applied(false, null, Set.of(end.clientId()));
		}
		this.deadlines.remove(deadline(session));
		if (!end.keepsWill()) {
			removeWill(session);
		}
		end(session, now);
		return Applied.DONE;
	}

	private void publishWill(Session session, long now) {
		Will will = session.will();
		removeWill(session);
		if (will != null) {
			publish(will.message(now), session.user(), null, true, now);
		}
	}

	private void removeWill(Session session) {
		if (session.will() != null) {
			session.removeWill();
			long cost = cost(session.clientId(), null);
			this.memory.hold(session.user(), cost - session.baseBytes());
			session.setUser(session.user(), cost);
		}
	}

	private void expire(Expire expire, long now) {
		Set<String> denied = new HashSet<>(expire.denied());
		while (nextDeadline() <= expire.until()) {
			Deadline deadline = Objects.requireNonNull(this.deadlines.pollFirst());
			Session session = this.sessions.get(deadline.id);
			if (deadline.retained) {
				this.retained.update(deadline.id, (message) -> replaced(message, null));
			}
			else if (session != null) {
				expire(session, expire.until(), denied, now);
			}
		}
	}

	private void expire(Session session, long until, Set<String> denied, long now) {
		if (session.willTime() <= until) {
			if (denied.contains(session.clientId())) {
				removeWill(session);
			}
			publishWill(session, now);
		}
		if (session.isEnded()) {
			// It had to give way to its own will.
			return;
		}
		if (session.end() <= until) {
			end(session, now);
		}
		else {
			schedule(session);
		}
	}

	private Set<String> subscribe(Session session, List<Subscription> subscriptions, long now) {
		Set<String> refused = new LinkedHashSet<>();
		Map<String, Subscription> last = new LinkedHashMap<>();
		subscriptions.forEach((subscription) -> last.put(subscription.filter(), subscription));
		for (Subscription subscription : last.values()) {
			Subscription replaced = session.subscriptions().get(subscription.filter());
			long cost = (replaced == null) ? cost(subscription.filter()) : 0;
			if (cost > 0 && !makeRoom(session, cost, now)) {
				refused.add(subscription.filter());
				continue;
			}
			hold(session, cost);
			session.subscribe(subscription);
			addToTree(session, subscription);
			if (subscription.sendsRetained(replaced == null)) {
				List<Message> messages = new ArrayList<>();
				visitRetained(session, subscription, now, messages::add);
				// In an order that is the same after a restart.
				messages.sort(Comparator.comparing(Message::topic));
				messages.forEach((message) -> receive(session, message, Match.ofRetained(message, subscription), now));
			}
		}
		return refused;
	}

	/**
	 * Returns the heap of a subscription.
	 * @param filter the topic filter
	 * @return estimated bytes
	 */
	public static long cost(String filter) {
		return SessionMemory.SUBSCRIPTION + SessionMemory.ofLevels(filter);
	}

	private Set<String> unsubscribe(Session session, List<String> filters) {
		Set<String> unknown = new LinkedHashSet<>();
		for (String filter : filters) {
			if (unsubscribe(session, filter)) {
				hold(session, -cost(filter));
			}
			else {
				unknown.add(filter);
			}
		}
		return unknown;
	}

	private void release(Session session, int packetId) {
		if (session.release(packetId)) {
			hold(session, -SessionMemory.PACKET_ID);
		}
	}

	/**
	 * Subscribes the client of a session that is not stored. Called on the event loop of
	 * its connection.
	 * @param session the session
	 * @param subscription the granted subscription
	 * @return whether {@link #sendRetained} must follow
	 */
	public boolean subscribe(Session session, Subscription subscription) {
		Subscription replaced = session.subscribe(subscription);
		addToTree(session, subscription);
		return subscription.sendsRetained(replaced == null);
	}

	/**
	 * Delivers retained messages to a session that is not stored. Must not be called
	 * while a change is applied, because an older message would follow a newer one.
	 * @param session the session
	 * @param subscription a subscription of the session
	 * @param now log time
	 */
	public void sendRetained(Session session, Subscription subscription, long now) {
		visitRetained(session, subscription, now,
				(message) -> deliver(session, message, Match.ofRetained(message, subscription)));
	}

	/**
	 * Ends a subscription. Called by the state machine, or for a session that is not
	 * stored on the event loop of its connection.
	 * @param session the session
	 * @param filter the topic filter
	 * @return whether there was one
	 */
	public boolean unsubscribe(Session session, String filter) {
		Subscription removed = session.unsubscribe(filter);
		if (removed != null) {
			removeFromTree(session, removed);
		}
		return removed != null;
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
		this.retained.select(subscription.topicFilter(), (retained) -> {
			Message message = retained.message;
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
	 * @param principal name of the principal of the publisher, empty if it is anonymous
	 * @param connection number of the connection of the publisher
	 * @param packetId packet identifier of a message with QoS 2 from a stored session,
	 * otherwise 0
	 * @param later whether to deliver nothing yet, because earlier messages of the
	 * publisher must be delivered first
	 * @return the change to append to the log, {@code null} if none is necessary
	 */
	public @Nullable Publish route(Message message, String principal, long connection, int packetId, boolean later) {
		Receivers receivers = receivers(message);
		// A repeated message is found, and a retained one delivered, when it is applied.
		boolean logged = message.retain() || packetId != 0;
		boolean undelivered = logged || later;
		int[] copies = { 0 };
		receivers.forEach((session, match) -> {
			if (isQueued(session, match)) {
				copies[0]++;
			}
			else if (!undelivered) {
				deliver(session, message, match);
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
				deliver(member.session(), message, match);
			}
		}
		return (logged || copies[0] > 0 || !members.isEmpty()) ? new Publish(message, principal, connection, packetId,
				members, undelivered, copies[0] + members.size()) : null;
	}

	/**
	 * Delivers a message to sessions that are not stored, and to all with QoS 0. May be
	 * called by any thread.
	 * @param message a message for which {@link #route} has returned no change
	 */
	public void deliver(Message message) {
		Receivers receivers = receivers(message);
		receivers.forEach((session, match) -> deliver(session, message, match));
		for (SharedGroup group : receivers.groups()) {
			SharedGroup.Member member = chooseOther(group, message);
			if (member != null) {
				deliver(member.session(), message, Match.of(message, member.subscription()));
			}
		}
	}

	private static SharedGroup.@Nullable Member chooseOther(SharedGroup group, Message message) {
		return group.chooseOther((each) -> !isQueued(each.session(), Match.of(message, each.subscription())));
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

	/** Publishes a message, and returns {@code false} if it is refused. */
	private boolean publish(Publish publish, long now) {
		User user = this.memory.user(publish.principal());
		if (publish.packetId() == 0) {
			return publish(publish.message(), user, publish.members(), publish.undelivered(), now);
		}
		Session publisher = findStored(publish.message().publisher(), publish.connection());
		if (publisher == null || !publisher.receive(publish.packetId())) {
			return true;
		}
		boolean fits = makeRoom(publisher, SessionMemory.PACKET_ID, now);
		hold(publisher, SessionMemory.PACKET_ID);
		boolean published = fits && publish(publish.message(), user, publish.members(), true, now);
		if (!published) {
			release(publisher, publish.packetId());
		}
		return published;
	}

	/**
	 * Publishes a message.
	 * @param message the message
	 * @param user the user who publishes it
	 * @param members the members of shared subscriptions that receive it by filter,
	 * {@code null} for a will, to choose them
	 * @param undeliveredYet whether sessions that are not stored have not received it.
	 * They have never received a retained message or a will
	 * @return {@code false} if a message to retain is refused. A will is delivered all
	 * the same
	 */
	private boolean publish(Message message, User user, @Nullable Map<String, String> members, boolean undeliveredYet,
			long now) {
		if (message.retain() && !retain(message, user, now) && members != null) {
			return false;
		}
		boolean undelivered = undeliveredYet || message.retain() || members == null;
		Receivers receivers = receivers(message);
		// Who receives a message when memory is exhausted must be the same after a
		// restart.
		Map<Session, Match> queued = new TreeMap<>(Comparator.comparing(Session::clientId));
		receivers.forEach((session, match) -> {
			if (isQueued(session, match)) {
				queued.put(session, match);
			}
			else if (undelivered) {
				deliver(session, message, match);
			}
		});
		queued.forEach((session, match) -> receive(session, message, match, now));
		// In an order that is the same after a restart.
		List<SharedGroup> groups = new ArrayList<>(receivers.groups());
		groups.sort(Comparator.comparing(SharedGroup::filter));
		for (SharedGroup group : groups) {
			String chosen = (members != null) ? members.get(group.filter()) : "";
			SharedGroup.Member member = (chosen != null) ? group.find(chosen) : null;
			if (member == null && undelivered) {
				member = chooseOther(group, message);
			}
			if (member != null) {
				receive(member.session(), message, Match.of(message, member.subscription()), now);
			}
		}
		return true;
	}

	/** Retains a message, or removes the retained one if its payload is empty. */
	private boolean retain(Message message, User user, long now) {
		boolean removes = message.payload().length == 0;
		Retained current = this.retained.get(message.topic());
		long held = (current != null && current.user == user) ? current.cost() : 0;
		Retained next = new Retained(message, user);
		if (!removes && next.cost() > held && !makeRoom(user, next.cost() - held, now)) {
			return false;
		}
		this.retained.update(message.topic(), (replaced) -> replaced(replaced, removes ? null : next));
		return true;
	}

	private @Nullable Retained replaced(@Nullable Retained replaced, @Nullable Retained next) {
		if (replaced != null) {
			this.memory.holdRetained(replaced.user, -replaced.cost());
			replaced.user.retained().remove(replaced.message.topic());
			this.deadlines.remove(new Deadline(replaced.message.expiry(), true, replaced.message.topic()));
		}
		if (next != null) {
			this.memory.holdRetained(next.user, next.cost());
			next.user.retained().put(next.message.topic(), next.message);
			if (next.message.expiry() != Message.NEVER) {
				this.deadlines.add(new Deadline(next.message.expiry(), true, next.message.topic()));
			}
		}
		return next;
	}

	private void receive(Session session, Message message, Match match, long now) {
		if (deliver(session, message, match)) {
			return;
		}
		Delivery delivery = session.next(message, match.qos(), match.retain(), match.identifiers());
		if (session.isEnded()) {
			return;
		}
		if (!makeRoom(session, delivery.cost(), now)) {
			this.losses = this.losses.with(0, 0, 1, session.user());
			return;
		}
		long before = session.queuedBytes();
		session.add(delivery);
		queueChanged(session, before);
	}

	private void acknowledge(Session session, Acknowledge acknowledge) {
		long before = session.queuedBytes();
		for (long number : acknowledge.numbers()) {
			session.acknowledge(number, acknowledge.received(), this.epoch, this.kept);
		}
		queueChanged(session, before);
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
	 * Returns what a next {@link Expire} handles.
	 * @param now log time
	 * @return a limited number of deadlines up to that time
	 */
	public Due due(long now) {
		List<String> wills = new ArrayList<>();
		long until = -1;
		int visited = 0;
		for (Deadline deadline : this.deadlines) {
			if (deadline.time > now || visited >= MAX_EXPIRED && deadline.time > until) {
				break;
			}
			visited++;
			until = deadline.time;
			Session session = deadline.retained ? null : this.sessions.get(deadline.id);
			if (session != null && session.willTime() <= now) {
				wills.add(session.clientId());
			}
		}
		return new Due(until, wills);
	}

	/**
	 * Returns whether there has never been a session, and there is no retained message.
	 * @return whether a snapshot need not contain this object
	 */
	public boolean isUnused() {
		return this.connections == 0 && this.memory.used() == 0;
	}

	/**
	 * Returns the number of sessions. May be called by any thread.
	 * @return sessions that are stored or have a will
	 */
	public int count() {
		return this.sessions.size();
	}

	/**
	 * Returns the sessions. May be called by any thread.
	 * @return a view of sessions that are stored or have a will
	 */
	public Collection<Session> all() {
		return Collections.unmodifiableCollection(this.sessions.values());
	}

	/**
	 * Returns what sessions and messages hold. May be called by any thread.
	 * @return the sizes
	 */
	public SessionMemory memory() {
		return this.memory;
	}

	/**
	 * Returns what users lost because memory was exhausted. May be called by any thread.
	 * @return the numbers since the start of this process, or of a snapshot
	 */
	public Losses losses() {
		return this.losses;
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
		this.snapshot = new SessionsSnapshot(this.sessions.values(), this.memory, this.connections, this.epoch++);
		this.kept = new Kept();
		return this.snapshot;
	}

	/**
	 * Returns the memory of messages that are kept for the snapshot.
	 * @return estimated bytes
	 */
	public long keptBytes() {
		return (this.kept != null) ? this.kept.bytes() : 0;
	}

	/** Ends the snapshot, if any, which was encoded or is not needed. */
	public void endSnapshot() {
		this.snapshot = null;
		if (this.kept != null) {
			this.kept.remove();
			this.kept = null;
		}
	}

	/** Sets the number of connections of a snapshot. */
	void restore(long connections) {
		this.connections = connections;
	}

	/** Adds a session of a snapshot. */
	void restore(Session session) {
		session.setUser(this.memory.user(session.principal()), cost(session.clientId(), session.will()));
		session.subscriptions().values().forEach((subscription) -> {
			addToTree(session, subscription);
			session.hold(cost(subscription.filter()));
		});
		session.hold((long) SessionMemory.PACKET_ID * session.unreleased().size());
		this.memory.hold(session.user(), session.bytes());
		this.sessions.put(session.clientId(), session);
		if (!session.isConnected()) {
			schedule(session);
			session.user().detached().add(session.clientId());
		}
	}

	/** Adds a retained message of a snapshot. */
	void restore(Message message, String principal) {
		Retained retained = new Retained(message, this.memory.user(principal));
		this.retained.update(message.topic(), (replaced) -> replaced(replaced, retained));
	}

	/**
	 * Deadlines that have passed.
	 *
	 * @param until log time of the last one, -1 without one
	 * @param wills clients whose wills are due
	 */
	public record Due(long until, List<String> wills) {
	}

	/**
	 * What users lost because memory was exhausted.
	 *
	 * @param sessions number of sessions that were ended
	 * @param retained number of retained messages that were removed
	 * @param messages number of messages that were dropped from the queues of sessions
	 * @param latest the user of the latest loss
	 */
	public record Losses(long sessions, long retained, long messages, String latest) {

		private Losses with(int sessions, int retained, int messages, User user) {
			return new Losses(this.sessions + sessions, this.retained + retained, this.messages + messages,
					user.principal());
		}

	}

	/** A retained message, and the user who published it. */
	private record Retained(Message message, User user) {

		long cost() {
			return SessionMemory.RETAINED + SessionMemory.ofLevels(this.message.topic()) + this.message.cost();
		}

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
