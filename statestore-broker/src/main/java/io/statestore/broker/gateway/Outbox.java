package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.broker.gateway.BrokerConnection.Accepted;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes to the broker, in one line over all connections: messages that it has not
 * acknowledged when a connection ends are sent again on the next. The acknowledgement of
 * a request waits in the same line, behind its reply, so that a broker that takes nothing
 * sends nothing either. Notifications of expired keys come all the same, so that memory
 * is limited. Used on the event loop only; writes but does not flush.
 */
final class Outbox {

	/**
	 * A reply that is still not acknowledged after so many connections may be what ends
	 * them: its topic comes from a client, and the broker may dislike it.
	 */
	private static final int MAX_SENDS_OF_A_REPLY = 3;

	private static final Logger logger = LoggerFactory.getLogger(Outbox.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final int MAX_PACKET_ID = 65_535;

	private static final int PACKET_TOO_LARGE = 0x95;

	/**
	 * Memory for messages that clients cannot use up otherwise: replies must get through
	 * when clients hold all of theirs.
	 */
	static final long OWN_MEMORY = 1 << 20;

	/** Estimated heap of a message in addition to its packet. */
	private static final int OVERHEAD = 256;

	private final ClientShare memory;

	/** Limit of the memory beyond {@link #OWN_MEMORY}. */
	private final long limit;

	private long ownBytes;

	/** Messages of the gateway itself, which leave before all others. */
	private final Deque<Message> own = new ArrayDeque<>();

	private final Deque<Entry> waiting = new ArrayDeque<>();

	private final Map<Integer, Message> inFlight = new LinkedHashMap<>();

	private @Nullable Wire connection;

	private int receiveMaximum;

	private long maxPacketSize;

	private int lastId;

	/** A write may change the writability, or end the connection, and come back here. */
	private boolean draining;

	/**
	 * Creates an outbox.
	 * @param memory holds notifications, and replies beyond {@link #OWN_MEMORY}
	 * @param limit maximum of that memory, in bytes
	 */
	Outbox(ClientShare memory, long limit) {
		this.memory = memory;
		this.limit = limit;
	}

	/**
	 * Reserves the memory of a message to a client. A recipient that holds more than a
	 * quarter of the memory cannot take from the second half, so that it does not lock
	 * out other recipients.
	 * @param publish the message
	 * @param recipient of the message
	 * @param acknowledged called with the reason code of its PUBACK
	 * @return the message to be published or discarded; {@code null} if there is no
	 * memory for it
	 */
	@Nullable Message reserve(OwnPublish publish, Recipient recipient, IntConsumer acknowledged) {
		long cost = cost(publish);
		boolean shared = publish.message().kind() == Kind.NOTIFICATION || cost > OWN_MEMORY - this.ownBytes;
		if (shared && recipient.holdsTooMuch(cost, this.limit) && cost > this.limit / 2 - this.memory.used()) {
			this.memory.refuse(MemoryUse.OUTGOING);
			return null;
		}
		if (shared && !this.memory.tryReserve(MemoryUse.OUTGOING, cost)) {
			return null;
		}
		this.ownBytes += shared ? 0 : cost;
		recipient.bytes += cost;
		return new Message(publish, acknowledged, cost, shared, recipient);
	}

	/**
	 * Returns whether there can ever be memory for a message.
	 * @param publish the message
	 * @return whether it fits into the empty outbox
	 */
	boolean fits(OwnPublish publish) {
		return cost(publish) <= this.limit;
	}

	private static long cost(OwnPublish publish) {
		return publish.size() + OVERHEAD;
	}

	/** Returns the used fraction of the memory that notifications share. */
	double load() {
		return (double) this.memory.used() / this.limit;
	}

	/** Counts a notification that waits until there is memory for it. */
	void refuse() {
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
	 * Queues a message of the gateway itself, also when there is no memory for messages
	 * to clients. It leaves before all messages to clients, and is dropped when the
	 * connection ends. The caller limits the number of such messages.
	 * @param publish the message
	 * @param acknowledged called with the reason code of its PUBACK
	 */
	void publishOwn(OwnPublish publish, IntConsumer acknowledged) {
		this.own.add(new Message(publish, acknowledged, 0, false, null));
		drain();
	}

	/** Releases the memory of a message that no longer waits for the broker. */
	void release(Message message) {
		if (message.shared) {
			this.memory.release(MemoryUse.OUTGOING, message.cost);
		}
		else {
			this.ownBytes -= message.cost;
		}
		if (message.recipient != null) {
			message.recipient.bytes -= message.cost;
		}
	}

	/** Acknowledges a request that came over a connection, if that is still there. */
	void acknowledge(Wire origin, int packetId) {
		this.waiting.add(new Acknowledgement(origin, packetId));
		drain();
	}

	/** A new connection: what the old one left open goes first. */
	void connected(Wire connection, Accepted accepted) {
		this.connection = connection;
		this.receiveMaximum = accepted.receiveMaximum();
		this.maxPacketSize = accepted.maxPacketSize();
		this.inFlight.values().removeIf(this::dropPoison);
		if (accepted.sessionPresent() && this.inFlight.size() <= accepted.receiveMaximum()) {
			sendAgain(connection);
		}
		else {
			new ArrayDeque<>(this.inFlight.values()).descendingIterator().forEachRemaining(this.waiting::addFirst);
			this.inFlight.clear();
		}
		drain();
	}

	private void sendAgain(Wire connection) {
		this.draining = true;
		try {
			this.inFlight.forEach((id, message) -> {
				message.sends++;
				connection.write(message.publish.toPacket(id, true));
			});
		}
		finally {
			this.draining = false;
		}
	}

	private boolean dropPoison(Message message) {
		boolean poison = message.publish.message().kind() == Kind.REPLY && message.sends >= MAX_SENDS_OF_A_REPLY;
		if (poison) {
			release(message);
			logger.warn("Dropped a reply that the broker did not acknowledge over {} connections", message.sends);
		}
		return poison;
	}

	/**
	 * Handles the end of the connection. Messages of the gateway itself are dropped: the
	 * gateway writes its present state on the next connection.
	 */
	void disconnected() {
		this.connection = null;
		this.own.clear();
		this.inFlight.values().removeIf((message) -> message.recipient == null);
		this.waiting.removeIf(Acknowledgement.class::isInstance);
	}

	/** The broker has answered a message. */
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

	/** Send what can go. */
	void drain() {
		if (this.draining) {
			return;
		}
		this.draining = true;
		try {
			boolean sent = true;
			while (sent && this.connection != null && this.connection.isWritable()) {
				sent = this.own.isEmpty() ? sendNext(this.connection, this.waiting)
						: sendNext(this.connection, this.own);
			}
		}
		finally {
			this.draining = false;
		}
	}

	private <E extends Entry> boolean sendNext(Wire connection, Deque<E> line) {
		E next = line.poll();
		if (next == null) {
			return false;
		}
		boolean sent = send(connection, next);
		if (!sent) {
			line.addFirst(next);
		}
		return sent;
	}

	private boolean send(Wire connection, Entry entry) {
		if (entry instanceof Acknowledgement acknowledgement) {
			acknowledgement.origin().write(Packets.acknowledgement(Packets.MQTT_5, 1, acknowledgement.packetId(), 0));
			return true;
		}
		Message message = (Message) entry;
		if (message.publish.size() > this.maxPacketSize) {
			release(message);
			clientLog.warn("Dropped a {} of {} bytes: the broker accepts packets of at most {} bytes; raise its limit",
					message.publish.message().kind(), message.publish.size(), this.maxPacketSize);
			message.acknowledged.accept(PACKET_TOO_LARGE);
			return true;
		}
		if (this.inFlight.size() >= this.receiveMaximum) {
			return false;
		}
		int id = nextId();
		this.inFlight.put(id, message);
		message.sends++;
		connection.write(message.publish.toPacket(id));
		return true;
	}

	/** There is a free one: the broker's Receive Maximum is at most the number of ids. */
	private int nextId() {
		do {
			this.lastId = this.lastId % MAX_PACKET_ID + 1;
		}
		while (this.inFlight.containsKey(this.lastId));
		return this.lastId;
	}

	/** A connection as seen from here. */
	interface Wire {

		/** Write a packet; drops it when the connection has ended. */
		void write(MqttMessage packet);

		boolean isWritable();

	}

	private sealed interface Entry {

	}

	/** A message with reserved memory. */
	static final class Message implements Entry {

		private final OwnPublish publish;

		private final IntConsumer acknowledged;

		private final long cost;

		/** Whether the memory is taken from the share, not from the own memory. */
		private final boolean shared;

		/** {@code null} for messages of the gateway itself. */
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

	/** A client for which messages wait. */
	static final class Recipient {

		private long bytes;

		/** Returns whether any message waits for this client. */
		boolean isAwaited() {
			return this.bytes > 0;
		}

		/** A single message may have any size. */
		private boolean holdsTooMuch(long cost, long limit) {
			return this.bytes > 0 && cost > limit / 4 - this.bytes;
		}

	}

	private record Acknowledgement(Wire origin, int packetId) implements Entry {
	}

}
