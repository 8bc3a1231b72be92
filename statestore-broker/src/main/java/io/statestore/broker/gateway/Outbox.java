package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.Wire;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of outgoing messages, across all connections to the broker. Messages that are not
 * acknowledged when a connection ends are sent again on the next connection. A request's
 * acknowledgment waits in the same queue, after its reply. A broker that accepts no
 * messages therefore receives no acknowledgments either, and stops sending requests.
 * Because expiring keys still cause notifications, memory is limited as well. Used only
 * on the event loop; writes without flushing.
 */
final class Outbox {

	/**
	 * Maximum number of connections on which a reply is sent. A reply that is never
	 * acknowledged may be what ends the connections, because a client chooses its topic.
	 */
	private static final int MAX_SENDS_OF_A_REPLY = 3;

	private static final Logger logger = LoggerFactory.getLogger(Outbox.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Packet identifier of SUBSCRIBE, which no message uses. */
	static final int SUBSCRIBE_ID = 65_535;

	private static final int MAX_PACKET_ID = SUBSCRIBE_ID - 1;

	/**
	 * Memory reserved for replies, in bytes. Replies are sent even when clients have
	 * exhausted their memory.
	 */
	static final long REPLY_MEMORY = 1 << 20;

	/** Estimated heap usage of a message, in bytes, not including its packet. */
	private static final int OVERHEAD = 256;

	private final ClientShare memory;

	/** Maximum memory in addition to {@link #REPLY_MEMORY}, in bytes. */
	private final long limit;

	private long replyBytes;

	/** The gateway's own messages, which precede all others. */
	private final Deque<Entry> own = new ArrayDeque<>();

	private final Deque<Entry> waiting = new ArrayDeque<>();

	private final Map<Integer, Message> inFlight = new LinkedHashMap<>();

	private @Nullable Wire connection;

	private int receiveMaximum;

	private long maxPacketSize;

	private int lastId;

	/**
	 * Prevents reentrant calls: a write may change the connection's writability or end
	 * it.
	 */
	private boolean draining;

	/**
	 * Creates an outbox.
	 * @param memory charged for notifications, and for replies that exceed
	 * {@link #REPLY_MEMORY}
	 * @param limit maximum memory to charge, in bytes
	 */
	Outbox(ClientShare memory, long limit) {
		this.memory = memory;
		this.limit = limit;
	}

	/**
	 * Reserves memory for a message to a client. A recipient that holds more than a
	 * quarter of the memory cannot use the second half, which remains available to other
	 * recipients.
	 * @param publish the message
	 * @param recipient the client's queue
	 * @param acknowledged called with the PUBACK's reason code
	 * @return the message, which the caller must publish or release; {@code null} if
	 * memory is exhausted
	 */
	@Nullable Message reserve(OwnPublish publish, Recipient recipient, IntConsumer acknowledged) {
		long cost = cost(publish);
		boolean shared = publish.message().kind() == Kind.NOTIFICATION || cost > REPLY_MEMORY - this.replyBytes;
		if (shared && recipient.holdsTooMuch(cost, this.limit) && cost > this.limit / 2 - this.memory.used()) {
			this.memory.refuse(MemoryUse.OUTGOING);
			return null;
		}
		if (shared && !this.memory.tryReserve(MemoryUse.OUTGOING, cost)) {
			return null;
		}
		this.replyBytes += shared ? 0 : cost;
		recipient.bytes += cost;
		return new Message(publish, acknowledged, cost, shared, recipient);
	}

	/**
	 * Returns whether an empty outbox has enough memory for a message.
	 * @param publish the message
	 * @return whether the message would ever fit
	 */
	boolean fits(OwnPublish publish) {
		return cost(publish) <= this.limit;
	}

	private static long cost(OwnPublish publish) {
		return publish.size() + OVERHEAD;
	}

	/** Returns the fraction in use of the memory shared by notifications. */
	double load() {
		return (double) this.memory.used() / this.limit;
	}

	/** Counts a notification dropped because its key is stale. */
	void countDropped() {
		this.memory.refuse(MemoryUse.OUTGOING);
	}

	/**
	 * Queues a message until its turn comes.
	 * @param message the message with reserved memory
	 */
	void publish(Message message) {
		this.waiting.add(message);
		drain();
	}

	/**
	 * Queues one of the gateway's own messages, even if memory is exhausted. The message
	 * precedes all messages to clients and is dropped when the connection ends. The
	 * caller must limit the number of such messages.
	 * @param publish the message
	 * @param acknowledged called with the PUBACK's reason code
	 */
	void publishOwn(OwnPublish publish, IntConsumer acknowledged) {
		this.own.add(new Message(publish, acknowledged, 0, false, null));
		drain();
	}

	/** Releases the memory of a message that the outbox no longer needs. */
	void release(Message message) {
		if (message.shared) {
			this.memory.release(MemoryUse.OUTGOING, message.cost);
		}
		else {
			this.replyBytes -= message.cost;
		}
		if (message.recipient != null) {
			message.recipient.bytes -= message.cost;
		}
	}

	/** Acknowledges a request, unless the connection it arrived on has ended. */
	void acknowledge(Wire origin, int packetId) {
		this.waiting.add(new Acknowledgment(origin, packetId));
		drain();
	}

	/** Handles a new connection. Unacknowledged messages are sent first. */
	void connected(Wire connection, Accepted accepted) {
		this.connection = connection;
		this.receiveMaximum = Math.min(accepted.receiveMaximum(), MAX_PACKET_ID);
		this.maxPacketSize = accepted.maxPacketSize();
		this.inFlight.values().removeIf(this::dropPoison);
		if (accepted.sessionPresent() && this.inFlight.size() <= accepted.receiveMaximum() && fitsAllInFlight()) {
			sendAgain(connection);
		}
		else {
			new ArrayDeque<>(this.inFlight.values()).descendingIterator().forEachRemaining(this.waiting::addFirst);
			this.inFlight.clear();
		}
		drain();
	}

	/**
	 * Returns whether the broker accepts the sizes of all messages in flight. Each
	 * connection may have another limit.
	 */
	private boolean fitsAllInFlight() {
		return this.inFlight.values().stream().allMatch((message) -> message.publish.size() <= this.maxPacketSize);
	}

	private void sendAgain(Wire connection) {
		this.draining = true;
		try {
			this.inFlight.forEach((id, message) -> {
				message.sends++;
				connection.publish(message.publish, id, true);
			});
		}
		finally {
			this.draining = false;
		}
	}

	/**
	 * Drops a message if it is a reply that may have ended several connections. Returns
	 * whether it was dropped.
	 */
	private boolean dropPoison(Message message) {
		boolean poison = message.publish.message().kind() == Kind.REPLY && message.sends >= MAX_SENDS_OF_A_REPLY;
		if (poison) {
			release(message);
			logger.warn("Dropped a reply that the broker did not acknowledge on {} connections; its client does not "
					+ "receive it. Check the broker's log", message.sends);
		}
		return poison;
	}

	/**
	 * Handles the end of the connection. The gateway's own messages are dropped, because
	 * the gateway writes its current state on the next connection.
	 */
	void disconnected() {
		this.connection = null;
		this.own.clear();
		this.inFlight.values().removeIf((message) -> message.recipient == null);
		this.waiting.removeIf(Acknowledgment.class::isInstance);
	}

	/** Handles the broker's acknowledgment of a message. */
	void acknowledged(int packetId, int reasonCode) {
		Message message = this.inFlight.remove(packetId);
		if (message != null) {
			release(message);
			message.acknowledged.accept(reasonCode);
		}
		drain();
	}

	/** Returns the number of messages that the broker has not acknowledged. */
	int size() {
		return this.own.size() + this.waiting.size() + this.inFlight.size();
	}

	/** Sends queued messages while the connection accepts them. */
	void drain() {
		if (this.draining) {
			return;
		}
		this.draining = true;
		try {
			boolean sent = true;
			while (sent && this.connection != null && this.connection.isWritable()) {
				sent = sendNext(this.connection, this.own.isEmpty() ? this.waiting : this.own);
			}
		}
		finally {
			this.draining = false;
		}
	}

	private boolean sendNext(Wire connection, Deque<Entry> queue) {
		Entry next = queue.poll();
		boolean sent = next != null && send(connection, next);
		if (next != null && !sent) {
			queue.addFirst(next);
		}
		return sent;
	}

	private boolean send(Wire connection, Entry entry) {
		if (entry instanceof Acknowledgment acknowledgment) {
			acknowledgment.origin().acknowledge(acknowledgment.packetId());
			return true;
		}
		Message message = (Message) entry;
		OwnPublish fitting = message.publish.within(this.maxPacketSize);
		if (fitting == null) {
			release(message);
			clientLog.warn("Dropped a {} of {} bytes: the broker accepts packets of at most {} bytes. Raise its limit",
					message.publish.message().kind(), message.publish.size(), this.maxPacketSize);
			message.acknowledged.accept(ReasonCodes.PACKET_TOO_LARGE);
			return true;
		}
		if (this.inFlight.size() >= this.receiveMaximum) {
			return false;
		}
		int id = nextId();
		message.publish = fitting;
		this.inFlight.put(id, message);
		message.sends++;
		connection.publish(fitting, id, false);
		return true;
	}

	/**
	 * Returns an unused packet identifier. There always is one, because the Receive
	 * Maximum limits the identifiers in use.
	 */
	private int nextId() {
		do {
			this.lastId = this.lastId % MAX_PACKET_ID + 1;
		}
		while (this.inFlight.containsKey(this.lastId));
		return this.lastId;
	}

	private sealed interface Entry {

	}

	/** A message with reserved memory. */
	static final class Message implements Entry {

		private OwnPublish publish;

		private final IntConsumer acknowledged;

		private final long cost;

		/**
		 * Whether the message is charged to the client share rather than to the memory
		 * reserved for replies.
		 */
		private final boolean shared;

		/** Recipient; {@code null} for the gateway's own messages. */
		private final @Nullable Recipient recipient;

		private int sends;

		private Message(OwnPublish publish, IntConsumer acknowledged, long cost, boolean shared,
				@Nullable Recipient recipient) {
			this.publish = publish;
			this.acknowledged = acknowledged;
			this.cost = cost;
			this.shared = shared;
			this.recipient = recipient;
		}

	}

	/** Memory of the messages waiting for one client. */
	static final class Recipient {

		private long bytes;

		/** Returns whether any message waits for this client. */
		boolean isAwaited() {
			return this.bytes > 0;
		}

		/**
		 * Returns whether the recipient would hold too much memory. A single message may
		 * exceed the limit.
		 */
		private boolean holdsTooMuch(long cost, long limit) {
			return this.bytes > 0 && cost > limit / 4 - this.bytes;
		}

	}

	private record Acknowledgment(Wire origin, int packetId) implements Entry {
	}

}
