package io.statestore.broker.session;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Session of a client (MQTT 5 section 4.1). Changed by the state machine only, except
 * that the session of a connection with a Session Expiry Interval of 0 is changed by the
 * event loop of that connection.
 * <p>
 * Internal: not part of the API.
 */
public final class Session {

	private final String clientId;

	private final String principal;

	private long expirySeconds;

	private int receiveMaximum;

	private boolean connected;

	private volatile @Nullable SessionConnection connection;

	/**
	 * Log time at which the session ends, {@link Message#NEVER} while it is connected.
	 */
	private long end = Message.NEVER;

	/**
	 * The subscriptions by filter. Replaced by each change, because snapshots keep it.
	 */
	private Map<String, Subscription> subscriptions = Map.of();

	/** Packet identifiers of messages with QoS 2 between PUBLISH and PUBREL. */
	private Set<Integer> received = Set.of();

	private @Nullable Will will;

	/** Log time at which the will is published. */
	private long willTime = Message.NEVER;

	private @Nullable Delivery first;

	private @Nullable Delivery last;

	private long lastNumber;

	private long queuedBytes;

	Session(String clientId, String principal) {
		this.clientId = clientId;
		this.principal = principal;
	}

	/**
	 * Returns the client id.
	 * @return the id
	 */
	public String clientId() {
		return this.clientId;
	}

	/**
	 * Returns the principal that the session belongs to.
	 * @return its name, empty if the client is anonymous
	 */
	public String principal() {
		return this.principal;
	}

	/**
	 * Returns whether the session outlives its connection.
	 * @return {@code false} with a Session Expiry Interval of 0
	 */
	public boolean isLasting() {
		return this.expirySeconds > 0;
	}

	long expirySeconds() {
		return this.expirySeconds;
	}

	int receiveMaximum() {
		return this.receiveMaximum;
	}

	boolean isConnected() {
		return this.connected;
	}

	void connected(long expirySeconds, int receiveMaximum, @Nullable Will will) {
		this.connected = true;
		this.end = Message.NEVER;
		this.expirySeconds = expirySeconds;
		this.receiveMaximum = receiveMaximum;
		this.will = will;
		this.willTime = Message.NEVER;
	}

	void disconnected(long expirySeconds, long end, long willTime, int epoch) {
		this.connected = false;
		this.connection = null;
		this.expirySeconds = expirySeconds;
		this.end = end;
		this.willTime = willTime;
		int inFlight = 0;
		for (Delivery delivery = this.first; delivery != null
				&& inFlight < this.receiveMaximum; delivery = delivery.next()) {
			if (!delivery.isCompleted()) {
				delivery.setRepeated(epoch);
				inFlight++;
			}
		}
	}

	/**
	 * Returns the connection of the client on this node, {@code null} if there is none.
	 */
	@Nullable SessionConnection connection() {
		return this.connection;
	}

	/**
	 * Sends the queued messages, and from now on further ones, to a connection.
	 * @param connection the connection
	 */
	public void attach(SessionConnection connection) {
		this.connection = connection;
		visitQueue(connection::deliver);
	}

	long end() {
		return this.end;
	}

	@Nullable Will will() {
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
	 * @return an immutable view by filter
	 */
	public Map<String, Subscription> subscriptions() {
		return this.subscriptions;
	}

	/** Adds a subscription, and returns the one that it replaces. */
	@Nullable Subscription subscribe(Subscription subscription) {
		Map<String, Subscription> changed = new LinkedHashMap<>(this.subscriptions);
		Subscription replaced = changed.put(subscription.filter(), subscription);
		this.subscriptions = changed;
		return replaced;
	}

	/** Removes a subscription, and returns it. */
	@Nullable Subscription unsubscribe(String filter) {
		Map<String, Subscription> changed = new LinkedHashMap<>(this.subscriptions);
		Subscription removed = changed.remove(filter);
		this.subscriptions = changed;
		return removed;
	}

	Set<Integer> received() {
		return this.received;
	}

	/**
	 * Handles a message with QoS 2 of the client.
	 * @param packetId its packet identifier
	 * @return {@code false} if the message is repeated (MQTT 5 section 4.3.3)
	 */
	public boolean receive(int packetId) {
		if (this.received.isEmpty()) {
			this.received = new HashSet<>();
		}
		return this.received.add(packetId);
	}

	/**
	 * Handles the PUBREL of a message with QoS 2 of the client.
	 * @param packetId its packet identifier
	 */
	public void release(int packetId) {
		if (!this.received.isEmpty() && this.received.remove(packetId) && this.received.isEmpty()) {
			this.received = Set.of();
		}
	}

	/**
	 * Returns the heap of the queued messages.
	 * @return estimated bytes
	 */
	public long queuedBytes() {
		return this.queuedBytes;
	}

	long lastNumber() {
		return this.lastNumber;
	}

	@Nullable Delivery first() {
		return this.first;
	}

	@Nullable Delivery last() {
		return this.last;
	}

	Delivery add(Message message, int qos, boolean retain, int[] identifiers) {
		Delivery delivery = new Delivery(message, qos, retain, identifiers, this.lastNumber + 1);
		append(delivery);
		return delivery;
	}

	void append(Delivery delivery) {
		this.lastNumber = delivery.number();
		this.queuedBytes += cost(delivery);
		if (this.last != null) {
			this.last.setNext(delivery);
		}
		else {
			this.first = delivery;
		}
		this.last = delivery;
	}

	void restoreLastNumber(long lastNumber) {
		this.lastNumber = lastNumber;
	}

	private static int cost(Delivery delivery) {
		return Delivery.COST + delivery.message().cost();
	}

	/**
	 * Handles an acknowledgment of the client. Has no effect if it is repeated.
	 * @return the estimated heap that is released, in bytes
	 */
	long acknowledge(long number, boolean received, int epoch) {
		Delivery delivery = this.first;
		while (delivery != null && delivery.number() < number) {
			delivery = delivery.next();
		}
		if (delivery == null || delivery.number() != number || delivery.isCompleted()) {
			return 0;
		}
		if (received) {
			delivery.setReceived(epoch);
			return 0;
		}
		delivery.setCompleted(epoch);
		long released = cost(delivery);
		this.queuedBytes -= released;
		while (this.first != null && this.first.isCompleted()) {
			this.first = this.first.next();
		}
		if (this.first == null) {
			this.last = null;
		}
		return released;
	}

	void visitQueue(Consumer<Delivery> visitor) {
		for (Delivery delivery = this.first; delivery != null; delivery = delivery.next()) {
			if (!delivery.isCompleted()) {
				visitor.accept(delivery);
			}
		}
	}

	@Override
	public String toString() {
		return this.clientId;
	}

}
