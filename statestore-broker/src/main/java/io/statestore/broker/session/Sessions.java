package io.statestore.broker.session;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.Deadlines.Deadline;
import io.statestore.broker.session.DeliveryQueue.Kept;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.End;
import io.statestore.broker.session.SessionChange.Expire;
import io.statestore.broker.session.SessionChange.OfSession;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Release;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionChange.Unsubscribe;
import io.statestore.broker.session.SessionMemory.Losses;
import io.statestore.broker.session.SessionMemory.User;
import org.jspecify.annotations.Nullable;

/**
 * State machine for retained messages, wills, and stored sessions, which outlive their
 * connections. The same changes at the same log times lead to the same state. Log times
 * are in nanoseconds, from {@link SessionLog#now()}.
 * <p>
 * Calls must be serialized, except for methods marked as thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class Sessions {

	/**
	 * How long clients have to reconnect after a restart before their wills are
	 * published, in nanoseconds.
	 */
	static final long RESTART_WILL_DELAY = TimeUnit.SECONDS.toNanos(30);

	/** Session Expiry Interval of a session that does not expire. */
	public static final long NO_EXPIRY = 0xFFFF_FFFFL;

	private final Map<String, Session> sessions = new ConcurrentHashMap<>();

	private final SessionMemory memory = new SessionMemory();

	private final Deadlines deadlines = new Deadlines();

	private final RetainedMessages retained = new RetainedMessages(this.memory, this.deadlines);

	private final Routing routing = new Routing(this.retained);

	private final Eviction eviction = new Eviction(this.memory, new Evictor());

	private final Distributor distributor = new Distributor(this.routing, this.retained, this.memory, this.eviction);

	/** The snapshot that is being encoded, {@code null} if there is none. */
	private @Nullable SessionsSnapshot snapshot;

	/** Completed messages that the snapshot may need. */
	private @Nullable Kept kept;

	/** Number of connections so far, including those of earlier processes. */
	private long connections;

	/** Number of snapshots so far, plus one. */
	private int epoch = 1;

	/**
	 * Limits the estimated heap of sessions, queued messages, and retained messages. A
	 * single user may hold three quarters of it. When it is exhausted, the user who holds
	 * the most loses sessions without a connection, then retained messages, then queued
	 * messages. By default, there is no limit.
	 * @param maxBytes maximum total, in bytes
	 * @param maxBytesPerSession maximum for each session with its messages, in bytes
	 */
	public void limit(long maxBytes, long maxBytesPerSession) {
		this.memory.limit(maxBytes, maxBytesPerSession);
	}

	/**
	 * Applies a change.
	 * @param change the change to apply
	 * @param now current log time, not earlier than in the previous call
	 * @return the effect of the change
	 */
	public Applied apply(SessionChange change, long now) {
		if (change instanceof OfSession each) {
			Session session = findStored(each.clientId(), each.connection());
			return (session != null) ? new Applied(false, null, apply(each, session, now)) : Applied.DONE;
		}
		if (change instanceof Publish publish) {
			return publish(publish, now) ? Applied.DONE : Applied.REFUSED;
		}
		if (change instanceof Connect connect) {
			return connect(connect, now);
		}
		if (change instanceof End end) {
			return end(end, now);
		}
		if (change instanceof Disconnect disconnect) {
			Session session = find(disconnect.clientId(), disconnect.connection());
			if (session != null) {
				disconnect(session, disconnect.expirySeconds(), disconnect.keepsWill(), now);
			}
		}
		else if (change instanceof Expire expire) {
			expire(expire, now);
		}
		return Applied.DONE;
	}

	/**
	 * Changes a stored session and returns the filters that the change did not affect.
	 */
	private Set<String> apply(OfSession change, Session session, long now) {
		if (change instanceof Subscribe subscribe) {
			return this.distributor.subscribe(session, subscribe.subscriptions(), now);
		}
		if (change instanceof Unsubscribe unsubscribe) {
			return this.distributor.unsubscribe(session, unsubscribe.filters());
		}
		if (change instanceof Acknowledge acknowledge) {
			acknowledge(session, acknowledge);
		}
		else if (change instanceof Release release) {
			release(session, release.packetId());
		}
		return Set.of();
	}

	/** Returns a session, or {@code null} if it does not have the given connection. */
	private @Nullable Session find(String clientId, long connection) {
		Session session = this.sessions.get(clientId);
		return (session != null && session.isConnected() && session.connectionNumber() == connection) ? session : null;
	}

	private @Nullable Session findStored(String clientId, long connection) {
		Session session = find(clientId, connection);
		return (session != null && session.isStored()) ? session : null;
	}

	/**
	 * Handles a server restart, which has ended all connections. Clients have 30 seconds
	 * to reconnect before their wills are published, including clients that have been
	 * disconnected since an earlier restart.
	 * @param now current log time
	 */
	public void start(long now) {
		List<Session> interrupted = this.sessions.values()
			.stream()
			.filter((each) -> each.isConnected() || each.isInterrupted())
			.sorted(Comparator.comparing(Session::clientId))
			.toList();
		// Distinct times, so that no single change ends all sessions.
		long each = now;
		for (Session session : interrupted) {
			this.deadlines.remove(session);
			boolean connected = session.isConnected();
			Will will = session.will();
			long end = connected ? endOf(session.expirySeconds(), each) : session.end();
			long willTime = Message.NEVER;
			if (will != null) {
				long requested = connected ? Math.min(end, each + TimeUnit.SECONDS.toNanos(will.delaySeconds()))
						: session.willTime();
				willTime = Math.max(each + RESTART_WILL_DELAY, requested);
				end = Math.max(end, willTime);
			}
			each++;
			if (connected) {
				session.disconnected(session.expirySeconds(), end, willTime, this.epoch);
				session.setInterrupted();
				session.user().detached().add(session.clientId());
			}
			else {
				session.setDeadlines(end, willTime);
			}
			this.deadlines.add(session);
		}
	}

	private Applied connect(Connect connect, long now) {
		User user = this.memory.user(connect.principal());
		long cost = Session.cost(connect.clientId(), connect.will());
		boolean lasting = connect.expirySeconds() > 0 || connect.will() != null;
		if (lasting && !this.sessions.containsKey(connect.clientId()) && !this.eviction.makeRoom(user, cost, now)) {
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
			this.deadlines.remove(earlier);
			if (earlier.isInterrupted() || !connect.keepsWill()) {
				removeWill(earlier);
			}
			earlier.user().detached().remove(earlier.clientId());
		}
		Session session;
		if (earlier != null && present) {
			session = earlier;
			this.memory.remove(session);
		}
		else {
			session = new Session(connect.clientId(), connect.expirySeconds() > 0);
			if (earlier != null) {
				end(earlier, now);
			}
		}
		this.connections++;
		session.connected(this.connections, connect);
		this.memory.add(session, user, cost);
		this.sessions.put(connect.clientId(), session);
		return new Applied(false, new Connected(present, this.connections, session.isStored()), Set.of());
	}

	/**
	 * Passes the messages of a stored session to its connection.
	 * @param clientId id of the session's client
	 * @param number number of the connection. Has no effect if the connection has ended
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
			this.deadlines.add(session);
			session.user().detached().add(session.clientId());
		}
	}

	private static long endOf(long expirySeconds, long now) {
		return (expirySeconds == NO_EXPIRY) ? Message.NEVER : now + TimeUnit.SECONDS.toNanos(expirySeconds);
	}

	private void end(Session session, long now) {
		this.deadlines.remove(session);
		// Removed first, so that making room for the session's will does not evict the
		// session itself.
		session.user().detached().remove(session.clientId());
		publishWill(session, now);
		this.routing.end(session);
		session.setEnded();
		this.memory.remove(session);
		this.sessions.remove(session.clientId(), session);
	}

	private Applied end(End end, long now) {
		Session session = this.sessions.get(end.clientId());
		if (session == null) {
			return new Applied(false, null, Set.of(end.clientId()));
		}
		this.deadlines.remove(session);
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
			this.distributor.publish(will.messageAt(now), session.user(), null, true, now);
		}
	}

	private void removeWill(Session session) {
		if (session.will() != null) {
			session.removeWill();
			this.memory.remove(session);
			this.memory.add(session, session.user(), Session.cost(session.clientId(), null));
		}
	}

	private void expire(Expire expire, long now) {
		Set<String> denied = new HashSet<>(expire.denied());
		for (Deadline next = poll(expire); next != null; next = poll(expire)) {
			Session session = this.sessions.get(next.id());
			if (next.retained()) {
				this.retained.remove(next.id());
			}
			else if (session != null) {
				expire(session, expire.until(), denied, now);
			}
		}
	}

	private @Nullable Deadline poll(Expire expire) {
		return this.deadlines.poll(expire.until());
	}

	private void expire(Session session, long until, Set<String> denied, long now) {
		if (session.willTime() <= until) {
			if (denied.contains(session.clientId())) {
				removeWill(session);
			}
			publishWill(session, now);
		}
		if (session.isEnded()) {
			// The session was evicted to make room for its own will.
			return;
		}
		if (session.end() <= until) {
			end(session, now);
		}
		else {
			this.deadlines.add(session);
		}
	}

	private void release(Session session, int packetId) {
		if (session.release(packetId)) {
			this.memory.hold(session, -SessionMemory.PACKET_ID);
		}
	}

	/** Publishes a message. Returns {@code false} if it is refused. */
	private boolean publish(Publish publish, long now) {
		User user = this.memory.user(publish.principal());
		if (publish.packetId() == 0) {
			return this.distributor.publish(publish.message(), user, publish.members(), publish.undelivered(), now);
		}
		Session publisher = findStored(publish.message().publisher(), publish.connection());
		if (publisher == null || !publisher.receive(publish.packetId())) {
			return true;
		}
		boolean fits = this.eviction.makeRoom(publisher, SessionMemory.PACKET_ID, now);
		this.memory.hold(publisher, SessionMemory.PACKET_ID);
		boolean published = fits && this.distributor.publish(publish.message(), user, publish.members(), true, now);
		if (!published) {
			release(publisher, publish.packetId());
		}
		return published;
	}

	private void acknowledge(Session session, Acknowledge acknowledge) {
		long before = session.queuedBytes();
		for (long number : acknowledge.numbers()) {
			session.acknowledge(number, acknowledge.received(), this.epoch, this.kept);
		}
		this.memory.queueChanged(session, before);
	}

	/**
	 * Returns the routing, which has all subscriptions. Thread-safe.
	 * @return the live routing, which changes with the sessions
	 */
	public Routing routing() {
		return this.routing;
	}

	/**
	 * Returns a session. Thread-safe.
	 * @param clientId id of the session's client
	 * @return the session, {@code null} if the state does not contain it. The session
	 * might not be stored if its client has a will or has replaced another session
	 */
	public @Nullable Session find(String clientId) {
		return this.sessions.get(clientId);
	}

	/**
	 * Returns when an {@link Expire} has an effect.
	 * @return log time, {@link Message#NEVER} if there is no deadline
	 */
	public long nextDeadline() {
		return this.deadlines.next();
	}

	/**
	 * Returns the deadlines that the next {@link Expire} handles.
	 * @param now current log time
	 * @return a limited number of deadlines up to that time
	 */
	public Due due(long now) {
		List<Deadline> due = this.deadlines.due(now);
		List<String> wills = due.stream()
			.filter((deadline) -> !deadline.retained() && isWillDue(deadline.id(), now))
			.map(Deadline::id)
			.toList();
		return new Due(due.isEmpty() ? -1 : due.get(due.size() - 1).time(), wills);
	}

	private boolean isWillDue(String clientId, long now) {
		Session session = this.sessions.get(clientId);
		return session != null && session.willTime() <= now;
	}

	/**
	 * Returns the number of sessions. Thread-safe.
	 * @return the number of sessions that are stored or have a will
	 */
	public int count() {
		return this.sessions.size();
	}

	/**
	 * Returns the sessions. Thread-safe.
	 * @return a view of the sessions that are stored or have a will
	 */
	public Collection<Session> all() {
		return Collections.unmodifiableCollection(this.sessions.values());
	}

	/**
	 * Returns the memory held by sessions and messages. Thread-safe.
	 * @return the memory, by user
	 */
	public SessionMemory memory() {
		return this.memory;
	}

	/**
	 * Returns what users lost because memory was exhausted. Thread-safe.
	 * @return the losses since this object was created
	 */
	public Losses losses() {
		return this.eviction.losses();
	}

	/**
	 * Begins a snapshot, which later changes do not affect.
	 * @return the snapshot, which one thread must encode before {@link #endSnapshot} is
	 * called
	 * @throws IllegalStateException if another snapshot has not ended
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
	 * Returns the estimated memory of messages kept for the snapshot.
	 * @return the size in bytes
	 */
	public long keptBytes() {
		return (this.kept != null) ? this.kept.bytes() : 0;
	}

	/** Ends the snapshot, if any, once it is encoded or no longer needed. */
	public void endSnapshot() {
		this.snapshot = null;
		if (this.kept != null) {
			this.kept.remove();
			this.kept = null;
		}
	}

	/** Restores the number of connections from a snapshot. */
	void restore(long connections) {
		this.connections = connections;
	}

	/** Adds a session from a snapshot. */
	void restore(Session session) {
		session.subscriptions().values().forEach((subscription) -> {
			this.routing.add(session, subscription);
			session.hold(SessionMemory.ofSubscription(subscription.filter()));
		});
		session.hold((long) SessionMemory.PACKET_ID * session.unreleased().size());
		this.memory.add(session, this.memory.user(session.principal()),
				Session.cost(session.clientId(), session.will()));
		this.sessions.put(session.clientId(), session);
		if (!session.isConnected()) {
			this.deadlines.add(session);
			session.user().detached().add(session.clientId());
		}
	}

	/** Adds a retained message from a snapshot. */
	void restore(Message message, String principal) {
		this.retained.put(message, this.memory.user(principal));
	}

	/**
	 * Deadlines that have passed.
	 *
	 * @param until log time of the last deadline, -1 if there is none
	 * @param wills clients whose wills are due
	 */
	public record Due(long until, List<String> wills) {
	}

	/** Removes the state that {@link Eviction} chooses. */
	private final class Evictor implements Eviction.Actions {

		@Override
		public void end(String clientId, long now) {
			Session session = stored(clientId);
			Sessions.this.deadlines.remove(session);
			// Permission to publish the will was not checked.
			removeWill(session);
			Sessions.this.end(session, now);
		}

		@Override
		public void removeRetained(String topic) {
			Sessions.this.retained.remove(topic);
		}

		@Override
		public int dropQueued(String clientId) {
			Session session = stored(clientId);
			long before = session.queuedBytes();
			int count = session.dropQueued(Sessions.this.epoch, Sessions.this.kept);
			Sessions.this.memory.queueChanged(session, before);
			return count;
		}

		private Session stored(String clientId) {
			return Objects.requireNonNull(Sessions.this.sessions.get(clientId));
		}

	}

}
