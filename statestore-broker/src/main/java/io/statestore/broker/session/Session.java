package io.statestore.broker.session;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.statestore.broker.session.DeliveryQueue.Kept;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionMemory.User;
import io.statestore.protocol.StoredSession;
import org.jspecify.annotations.Nullable;

/**
 * A client's session (MQTT 5 section 4.1). A session in {@link Sessions} is changed only
 * by the state machine. A session created by {@link #of} ends with its connection and is
 * changed on that connection's event loop. Not thread-safe, but any thread may read the
 * client id, whether the session is stored, and what {@link #describe} returns.
 * <p>
 * Internal: not part of the API.
 */
public final class Session {

	/** Maximum number of incomplete messages passed to a connection. */
	static final int WINDOW = 1_024;

	private final String clientId;

	private volatile String principal = "";

	/**
	 * The user to whom this session's heap is charged; {@code null} if the session is not
	 * part of the state.
	 */
	private @Nullable User user;

	/** Estimated heap of the client id and the will, in bytes. */
	private long baseBytes;

	/** Estimated heap without queued messages, in bytes. */
	private volatile long heldBytes;

	/** Whether the session is no longer part of the state. */
	private boolean ended;

	/**
	 * Whether the session can outlive its connection. If so, each change is a log entry.
	 */
	private final boolean stored;

	private long expirySeconds;

	/** Number of the current or latest connection. */
	private volatile long connectionNumber;

	private volatile boolean connected;

	/** Whether a server restart ended the connection. */
	private boolean interrupted;

	private volatile @Nullable SessionConnection connection;

	/**
	 * Log time at which the session ends, {@link Message#NEVER} while it is connected.
	 */
	private volatile long end = Message.NEVER;

	private Map<String, Subscription> subscriptions = new LinkedHashMap<>();

	private volatile int subscriptionCount;

	/**
	 * Whether a snapshot is reading the subscriptions, so that a change must copy them.
	 */
	private boolean copyOnWrite;

	/** Packet identifiers of received QoS 2 messages, between PUBLISH and PUBREL. */
	private final Set<Integer> unreleased = new HashSet<>(0);

	private volatile @Nullable Will will;

	/** Log time at which the will is published. */
	private long willTime = Message.NEVER;

	private final DeliveryQueue queue = new DeliveryQueue();

	/** Number of the latest message passed to the connection. */
	private long offered;

	/** Number of incomplete messages passed to the connection. */
	private int inFlight;

	Session(String clientId, boolean stored) {
		this.clientId = clientId;
		this.stored = stored;
	}

	/**
	 * Creates a session that ends with its connection.
	 * @param clientId the client's MQTT client id
	 * @param principal name of the principal, empty if the client is anonymous
	 * @param connection the connection
	 * @return a session without subscriptions
	 */
	public static Session of(String clientId, String principal, SessionConnection connection) {
		Session session = new Session(clientId, false);
		session.principal = principal;
		session.connection = connection;
		return session;
	}

	/**
	 * Returns the client id.
	 * @return the MQTT client id
	 */
	public String clientId() {
		return this.clientId;
	}

	/**
	 * Returns the principal that the session belongs to.
	 * @return the principal's name, empty if the client is anonymous
	 */
	public String principal() {
		return this.principal;
	}

	/**
	 * Returns whether the session can outlive its connection. If so, each change is a log
	 * entry.
	 * @return {@code false} for a session that ends with its connection
	 */
	public boolean isStored() {
		return this.stored;
	}

	User user() {
		return Objects.requireNonNull(this.user, "not part of the state");
	}

	/**
	 * Sets the user to whom this session's heap is charged.
	 * @param baseBytes heap of the client id and the will
	 */
	void setUser(User user, long baseBytes) {
		this.user = user;
		this.heldBytes += baseBytes - this.baseBytes;
		this.baseBytes = baseBytes;
	}

	void hold(long bytes) {
		this.heldBytes += bytes;
	}

	/** Returns the heap of this session including its messages, in bytes. */
	long bytes() {
		return this.heldBytes + queuedBytes();
	}

	/** Returns whether messages are waiting that no connection has received. */
	boolean isBacklogged() {
		return this.queue.count() > WINDOW;
	}

	boolean isEnded() {
		return this.ended;
	}

	void setEnded() {
		this.ended = true;
	}

	long expirySeconds() {
		return this.expirySeconds;
	}

	/**
	 * Returns the number of the connection, which the client's later changes contain.
	 * @return the number of the current or latest connection
	 */
	public long connectionNumber() {
		return this.connectionNumber;
	}

	boolean isConnected() {
		return this.connected;
	}

	boolean isInterrupted() {
		return this.interrupted;
	}

	void connected(long number, Connect connect) {
		this.connectionNumber = number;
		this.connected = true;
		this.interrupted = false;
		this.end = Message.NEVER;
		this.principal = connect.principal();
		this.expirySeconds = connect.expirySeconds();
		this.will = connect.will();
		this.willTime = Message.NEVER;
	}

	void disconnected(long expirySeconds, long end, long willTime, int epoch) {
		this.end = end;
		this.connected = false;
		this.connection = null;
		this.expirySeconds = expirySeconds;
		this.willTime = willTime;
		markRepeated(epoch);
	}

	/** Marks the messages that the connection may have received. */
	private void markRepeated(int epoch) {
		long number = 0;
		for (int i = 0; i < WINDOW; i++) {
			Delivery delivery = this.queue.next(number);
			if (delivery == null) {
				return;
			}
			delivery.setRepeated(epoch);
			number = delivery.number();
		}
	}

	void setDeadlines(long end, long willTime) {
		this.end = end;
		this.willTime = willTime;
	}

	void setInterrupted() {
		this.interrupted = true;
	}

	/**
	 * Returns the connection of the client on this node, {@code null} if there is none.
	 */
	@Nullable SessionConnection connection() {
		return this.connection;
	}

	/**
	 * Passes the queued messages to a connection, and later messages as they are added.
	 */
	void attach(SessionConnection connection) {
		this.connection = connection;
		this.offered = 0;
		this.inFlight = 0;
		offer();
	}

	/**
	 * Passes messages to the connection, at most {@value #WINDOW} at a time, as long as
	 * their packet identifiers are not used by other incomplete messages.
	 */
	private void offer() {
		SessionConnection connection = this.connection;
		Delivery first = (connection != null) ? this.queue.first() : null;
		while (connection != null && first != null && this.inFlight < WINDOW) {
			Delivery next = this.queue.next(this.offered);
			if (next == null || next.number() - first.number() >= Delivery.MAX_PACKET_ID) {
				return;
			}
			this.offered = next.number();
			this.inFlight++;
			connection.deliver(next);
		}
	}

	long end() {
		return this.end;
	}

	/**
	 * Returns the will. Thread-safe.
	 * @return the will, {@code null} if there is none
	 */
	public @Nullable Will will() {
		return this.will;
	}

	long willTime() {
		return this.willTime;
	}

	void removeWill() {
		this.will = null;
		this.willTime = Message.NEVER;
	}

	/**
	 * Returns the subscriptions.
	 * @return a view of the subscriptions, by filter
	 */
	public Map<String, Subscription> subscriptions() {
		return Collections.unmodifiableMap(this.subscriptions);
	}

	/**
	 * Returns the subscriptions for a snapshot. Later changes do not affect the returned
	 * map.
	 */
	Map<String, Subscription> shareSubscriptions() {
		this.copyOnWrite = true;
		return this.subscriptions;
	}

	/**
	 * Adds a subscription and returns the subscription it replaces, {@code null} if none.
	 */
	@Nullable Subscription subscribe(Subscription subscription) {
		Subscription replaced = writableSubscriptions().put(subscription.filter(), subscription);
		this.subscriptionCount = this.subscriptions.size();
		return replaced;
	}

	/** Removes a subscription and returns it, {@code null} if there was none. */
	@Nullable Subscription unsubscribe(String filter) {
		Subscription removed = writableSubscriptions().remove(filter);
		this.subscriptionCount = this.subscriptions.size();
		return removed;
	}

	private Map<String, Subscription> writableSubscriptions() {
		if (this.copyOnWrite) {
			this.subscriptions = new LinkedHashMap<>(this.subscriptions);
			this.copyOnWrite = false;
		}
		return this.subscriptions;
	}

	Collection<Integer> unreleased() {
		return this.unreleased;
	}

	/**
	 * Handles a QoS 2 message from the client.
	 * @param packetId the message's packet identifier
	 * @return {@code false} if the message is repeated (MQTT 5 section 4.3.3)
	 */
	public boolean receive(int packetId) {
		return this.unreleased.add(packetId);
	}

	/**
	 * Handles the client's PUBREL for a QoS 2 message.
	 * @param packetId the message's packet identifier
	 * @return whether the packet identifier was known
	 */
	public boolean release(int packetId) {
		return this.unreleased.remove(packetId);
	}

	/**
	 * Returns the estimated heap of the queued messages.
	 * @return the size in bytes
	 */
	public long queuedBytes() {
		return this.queue.bytes();
	}

	DeliveryQueue queue() {
		return this.queue;
	}

	/** Creates the delivery with which a message would be queued next. */
	Delivery next(Message message, int qos, boolean retain, int[] identifiers) {
		return new Delivery(message, qos, retain, identifiers, this.queue.lastNumber() + 1);
	}

	void add(Delivery delivery) {
		this.queue.add(delivery);
		offer();
	}

	/**
	 * Drops the queued messages that no connection can have received.
	 * @param epoch the current epoch
	 * @param kept receives messages that a snapshot may still need, {@code null} if there
	 * is no snapshot
	 * @return the number of dropped messages
	 */
	int dropQueued(int epoch, @Nullable Kept kept) {
		return this.queue.completeAfter(WINDOW, epoch, kept);
	}

	/**
	 * Handles an acknowledgment from the client. A repeated acknowledgment has no effect.
	 * @param number number of the message
	 * @param received whether the acknowledgment is a PUBREC
	 * @param epoch the current epoch
	 * @param kept receives the message if a snapshot may still need it, {@code null} if
	 * there is no snapshot
	 */
	void acknowledge(long number, boolean received, int epoch, @Nullable Kept kept) {
		Delivery delivery = this.queue.find(number);
		if (delivery == null) {
			return;
		}
		if (received) {
			delivery.setReceived(epoch);
			return;
		}
		this.queue.complete(delivery, epoch, kept);
		if (number <= this.offered) {
			this.inFlight--;
		}
		offer();
	}

	/**
	 * Describes this session for an administrator. Thread-safe.
	 * @param now current log time
	 */
	StoredSession describe(long now) {
		boolean connected = this.connected;
		long end = this.end;
		Duration remaining = (connected || end == Message.NEVER) ? null : Duration.ofNanos(Math.max(0, end - now));
		return new StoredSession(this.clientId, this.principal.isEmpty() ? null : this.principal, connected, remaining,
				this.subscriptionCount, this.queue.count(), bytes());
	}

	@Override
	public String toString() {
		return this.clientId;
	}

	/** Returns the heap of a session without subscriptions and messages, in bytes. */
	static long cost(String clientId, @Nullable Will will) {
		return SessionMemory.SESSION + 2L * clientId.length() + ((will != null) ? will.message().cost() : 0);
	}

}
