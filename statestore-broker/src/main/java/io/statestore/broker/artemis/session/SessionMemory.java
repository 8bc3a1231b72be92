package io.statestore.broker.artemis.session;

import java.util.Collection;
import java.util.Set;
import java.util.function.Supplier;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the MQTT session of one client: the session itself if it outlives its
 * connection, its subscriptions, and its will if that is to be retained. Thread-safe.
 */
final class SessionMemory {

	/** Measured heap of a session without subscriptions: 7 KB. */
	static final long SESSION_COST = 8 * 1024;

	private final ClientShare memory;

	private final SessionSubscriptions subscriptions;

	private final UnreleasedIds unreleased = new UnreleasedIds();

	/** Purpose of the reserved memory: a session that outlives its connection or not. */
	private MemoryUse use = MemoryUse.SUBSCRIPTION;

	private long sessionBytes;

	private long willBytes;

	/** Number of attached connections, more than one during a takeover. */
	private int connections;

	/** Number of SUBSCRIBE packets in flight. */
	private int subscribing;

	/** Number of the latest sweep when a connection was attached. */
	private long attachedIn;

	/**
	 * Creates a session.
	 * @param clientId id of the client in Artemis
	 * @param memory the share of the client
	 * @param queues counts the subscriptions of all sessions
	 */
	SessionMemory(String clientId, ClientShare memory, SubscriptionQueues queues) {
		this.memory = memory;
		this.subscriptions = new SessionSubscriptions(clientId, queues);
	}

	/** Returns the share of the client, which also holds its topics and messages. */
	ClientShare memory() {
		return this.memory;
	}

	/**
	 * Attaches a connection.
	 * @param sweep number of the latest sweep
	 */
	synchronized void attach(long sweep) {
		this.connections++;
		this.attachedIn = sweep;
	}

	/** Detaches a connection that has ended. The session may continue. */
	synchronized void detach() {
		this.connections--;
	}

	/**
	 * Reserves the memory of a session that is about to start or continue.
	 * @param lasting whether it outlives its connection
	 * @param size size of its client id and will in bytes
	 * @param will bytes to reserve for a will that is to be retained, 0 without one
	 * @return whether the memory is reserved
	 */
	synchronized boolean tryConnect(boolean lasting, long size, long will) {
		MemoryUse newUse = lasting ? MemoryUse.SESSION : MemoryUse.SUBSCRIPTION;
		long bytes = lasting ? SESSION_COST + size : 0;
		long growth = Math.max(0, bytes - this.sessionBytes);
		if (!this.memory.tryReserve(newUse, growth)) {
			return false;
		}
		if (!this.memory.tryReserve(MemoryUse.RETAINED, Math.max(0, will - this.willBytes))) {
			this.memory.release(newUse, growth);
			return false;
		}
		this.memory.release(MemoryUse.RETAINED, Math.max(0, this.willBytes - will));
		this.willBytes = will;
		this.memory.release(this.use, Math.max(0, this.sessionBytes - bytes));
		moveTo(newUse, Math.min(this.sessionBytes, bytes) + this.subscriptions.bytes() + this.unreleased.bytes());
		this.sessionBytes = bytes;
		this.unreleased.reconnecting();
		return true;
	}

	private void moveTo(MemoryUse newUse, long bytes) {
		this.memory.release(this.use, bytes);
		this.memory.reserve(newUse, bytes);
		this.use = newUse;
	}

	/**
	 * Handles the start of a session.
	 * @param present whether it continues an earlier session
	 * @param requested filters of SUBSCRIBE packets in flight
	 */
	synchronized void started(boolean present, Set<String> requested) {
		if (!present) {
			retain(requested);
		}
		this.memory.release(this.use, this.unreleased.reconnected(present));
	}

	/**
	 * Reserves the memory of a subscription, unless the filter is already known.
	 * @param filter the topic filter in Artemis
	 * @return whether the memory is reserved
	 */
	synchronized boolean tryAdd(String filter) {
		if (this.subscriptions.contains(filter)) {
			return true;
		}
		if (!this.memory.tryReserve(this.use, this.subscriptions.cost(filter))) {
			return false;
		}
		this.subscriptions.add(filter);
		return true;
	}

	/** Returns whether memory is reserved for a subscription. */
	synchronized boolean contains(String filter) {
		return this.subscriptions.contains(filter);
	}

	/**
	 * Returns a known filter that has the same topics, but the name of another shared
	 * subscription or no name.
	 */
	synchronized @Nullable String withSameTopics(String filter) {
		return this.subscriptions.withSameTopics(filter);
	}

	/** Returns the names of the queues of the known filters among the given ones. */
	synchronized Set<String> queues(Collection<String> filters) {
		return this.subscriptions.queues(filters);
	}

	/** Registers an existing subscription, even above the limits. */
	synchronized void add(String filter) {
		if (!this.subscriptions.contains(filter)) {
			this.memory.reserve(this.use, this.subscriptions.cost(filter));
			this.subscriptions.add(filter);
		}
	}

	/**
	 * Reserves the memory of a session that was recovered, even above the limits.
	 * @param filters its topic filters
	 * @param received packet identifiers of QoS 2 messages that it has not released
	 */
	synchronized void recovered(Set<String> filters, Set<Integer> received) {
		this.use = MemoryUse.SESSION;
		this.sessionBytes = SESSION_COST;
		this.memory.reserve(this.use, SESSION_COST + UnreleasedIds.COST * received.size());
		received.forEach(this.unreleased::add);
		filters.forEach(this::add);
	}

	/** Returns whether the session outlives its connection. */
	synchronized boolean isLasting() {
		return this.use == MemoryUse.SESSION;
	}

	/** Returns whether there is a connection. */
	synchronized boolean isAttached() {
		return this.connections > 0;
	}

	/** Releases the memory of a subscription. */
	synchronized void remove(String filter) {
		this.memory.release(this.use, this.subscriptions.remove(filter));
	}

	/**
	 * Reserves the memory of the packet identifier of a QoS 2 message.
	 * @param packetId packet identifier of the message
	 * @return whether the memory is reserved
	 */
	synchronized boolean tryReceive(int packetId) {
		if (!this.unreleased.contains(packetId) && !this.memory.tryReserve(this.use, UnreleasedIds.COST)) {
			return false;
		}
		this.unreleased.add(packetId);
		return true;
	}

	/** Returns whether a QoS 2 message repeats one that the session has received. */
	synchronized boolean isUnreleased(int packetId) {
		return this.unreleased.isRepetition(packetId);
	}

	/** Handles the PUBREL for a packet identifier. */
	synchronized void released(int packetId) {
		this.memory.release(this.use, this.unreleased.remove(packetId));
	}

	/** Handles the start of a clean session, which discards all packet identifiers. */
	synchronized void releasedAll() {
		this.memory.release(this.use, this.unreleased.clear());
	}

	/** Handles a SUBSCRIBE. Sweeps skip the session until it is answered. */
	synchronized void subscribeStarted() {
		this.subscribing++;
	}

	/**
	 * Handles the answers to SUBSCRIBE packets, or the end of their connection.
	 * @param count number of packets
	 */
	synchronized void subscribesEnded(int count) {
		this.subscribing -= count;
	}

	/**
	 * Reconciles this memory with the session in Artemis.
	 * @param filters returns the filters of the session, or {@code null} without a
	 * session
	 * @param lasting whether the session outlives its connection
	 * @param sweep number of this sweep. Clients that have connected since its start are
	 * skipped.
	 */
	synchronized void reconcile(@Nullable Supplier<Set<String>> filters, boolean lasting, long sweep) {
		if (this.attachedIn >= sweep || this.subscribing > 0) {
			return;
		}
		if (filters != null) {
			Set<String> present = filters.get();
			retain(present);
			present.forEach(this::add);
			if (this.connections == 0 && lasting && this.sessionBytes == 0) {
				this.sessionBytes = SESSION_COST;
				this.memory.reserve(this.use, SESSION_COST);
			}
		}
		else if (this.connections == 0) {
			end();
		}
	}

	/** Releases all memory of the session. */
	synchronized void end() {
		retain(Set.of());
		releasedAll();
		this.memory.release(this.use, this.sessionBytes);
		this.sessionBytes = 0;
		this.memory.release(MemoryUse.RETAINED, this.willBytes);
		this.willBytes = 0;
	}

	private void retain(Set<String> kept) {
		this.memory.release(this.use, this.subscriptions.retain(kept));
	}

	/**
	 * Returns the memory that the end of this session would release, in bytes. It is 0 if
	 * the session ends with its connection.
	 */
	synchronized long lastingBytes() {
		return (this.use == MemoryUse.SESSION)
				? this.sessionBytes + this.subscriptions.bytes() + this.unreleased.bytes() : 0;
	}

	/** Returns whether there is neither a connection nor any memory in use. */
	synchronized boolean isUnused() {
		return this.connections == 0 && this.memory.used() == 0;
	}

}
