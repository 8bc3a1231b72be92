package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.client.mqtt.internal.LinkMessage.Acknowledgment;
import io.statestore.client.mqtt.internal.NettyMessages.Outgoing;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.ClientPackets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packets of an MQTT session that the broker has not answered, with their packet
 * identifiers and the checks of what the broker permits. Publishes with QoS 1 and 2
 * outlive a connection, and are sent again over the next connection in the same order
 * (MQTT 5 section 4.4). Thread-safe.
 */
public final class InFlight {

	private static final Logger logger = LoggerFactory.getLogger(InFlight.class);

	private static final int MAX_PACKET_ID = 65_535;

	/** Leaves some of the packet identifiers to subscriptions. */
	private static final int MAX_PUBLISHES = 65_000;

	/** Maximum size of the publishes in bytes. */
	private final long maxSize;

	/** Packets by packet identifier, in the order of sending. */
	private final Map<Integer, Packet> packets = new LinkedHashMap<>();

	/** Publishes of earlier connections that are still to be sent again. */
	private final Queue<Packet> waiting = new ArrayDeque<>();

	/** The latest link, {@code null} without a connection. */
	private @Nullable Link link;

	/** What the broker permits on the latest link. */
	private @Nullable Accepted accepted;

	/** Number of publishes. */
	private int publishes;

	/** Size of the publishes in bytes. */
	private long size;

	private int lastId;

	/**
	 * Creates a session without packets.
	 * @param maxSize maximum size of the publishes in bytes. A larger publish waits until
	 * there is no other
	 */
	public InFlight(long maxSize) {
		this.maxSize = maxSize;
	}

	/**
	 * Returns why the broker has refused a packet.
	 * @param reasonCode an MQTT 5 reason code
	 * @return a description of the failure, or {@code null} if the code reports none
	 */
	public static @Nullable String refusal(int reasonCode) {
		return ReasonCode.isFailure(reasonCode) ? ReasonCode.describe(reasonCode) : null;
	}

	/**
	 * Returns why the broker does not permit a message.
	 * @return the reason, or {@code null} if the broker permits the message
	 */
	static @Nullable NotPermittedException refusal(Accepted accepted, Outgoing message) {
		if (message.size() > accepted.maxPacketSize()) {
			return new NotPermittedException(0x95, "has " + message.size()
					+ " bytes, but the broker accepts packets of at most " + accepted.maxPacketSize() + " bytes");
		}
		if (message.qos() > accepted.maximumQos()) {
			return new NotPermittedException(0x9B,
					"has QoS " + message.qos() + ", but the broker accepts at most QoS " + accepted.maximumQos());
		}
		return (message.isRetain() && !accepted.retainAvailable())
				? new NotPermittedException(0x9A, "is retained, but the broker does not retain messages") : null;
	}

	/**
	 * Begins to use a link, by sending publishes of earlier connections again. Drops
	 * those that the broker no longer permits, which would end each connection. For a
	 * broker that has lost the session, the others are new, and PUBREL has no meaning
	 * (MQTT 5 section 3.2.2.1.1).
	 */
	synchronized void connected(Link link, Accepted accepted) {
		this.link = link;
		this.accepted = accepted;
		this.waiting.clear();
		for (Packet packet : List.copyOf(this.packets.values())) {
			if (isRepeated(packet, accepted)) {
				packet.repeated = accepted.sessionPresent();
				this.waiting.add(packet);
			}
			else {
				remove(packet.id);
			}
		}
		for (int i = 0; i < window(accepted); i++) {
			sendAgain();
		}
	}

	/** Returns the maximum number of publishes. */
	private static int window(Accepted accepted) {
		return Math.min(MAX_PUBLISHES, accepted.receiveMaximum());
	}

	private static boolean isRepeated(Packet packet, Accepted accepted) {
		if (packet.received || packet.publish == null) {
			return packet.received && accepted.sessionPresent();
		}
		NotPermittedException refusal = refusal(accepted, packet.publish);
		if (refusal != null) {
			logger.warn("Dropped a message to '{}' that was published over an earlier connection, because it {}",
					packet.publish.topic(), refusal.getMessage());
		}
		return refusal == null;
	}

	private void sendAgain() {
		Packet next = this.waiting.poll();
		if (next != null && this.link != null) {
			send(this.link, next);
		}
	}

	private static Submission send(Link link, Packet packet) {
		return packet.received ? link.write(ClientPackets.release(packet.id)) : link.publish(packet);
	}

	/**
	 * Publishes a message once fewer publishes are in flight than the broker permits.
	 * @param message the message
	 * @param acknowledgment called when the broker has acknowledged the message. With QoS
	 * 0, called when the network takes the message
	 * @param timeout maximum time to wait
	 * @return whether there is a connection
	 * @throws NotPermittedException if the broker does not permit the message
	 * @throws TimeoutException if too many publishes are in flight
	 * @throws InterruptedException if interrupted while waiting
	 */
	public synchronized Submission publish(LinkMessage message, Acknowledgment acknowledgment, Duration timeout)
			throws TimeoutException, InterruptedException {
		Outgoing outgoing = new Outgoing(message);
		long deadline = System.nanoTime() + timeout.toNanos();
		while (this.accepted != null && !hasRoomFor(outgoing, this.accepted)) {
			awaitAnswer(deadline);
		}
		NotPermittedException refusal = (this.accepted != null) ? refusal(this.accepted, outgoing) : null;
		if (refusal != null) {
			throw refusal;
		}
		return publish(outgoing, acknowledgment);
	}

	private boolean hasRoomFor(Outgoing message, Accepted accepted) {
		boolean fits = this.publishes == 0 || this.size + message.size() <= this.maxSize;
		return fits && this.publishes < window(accepted);
	}

	private void awaitAnswer(long deadline) throws TimeoutException, InterruptedException {
		long remaining = deadline - System.nanoTime();
		if (remaining <= 0) {
			throw new TimeoutException();
		}
		TimeUnit.NANOSECONDS.timedWait(this, remaining);
	}

	/**
	 * Publishes a message that the broker permits. The caller limits the number of
	 * publishes.
	 */
	Submission publish(Outgoing message, Acknowledgment acknowledgment) {
		// Without the lock, which the network thread needs, while that is woken up.
		Packet packet = new Packet(message, acknowledgment);
		Link link = add(packet);
		return sent(packet, (link != null) ? link.publish(packet) : Submission.NOT_CONNECTED);
	}

	/**
	 * Subscribes with QoS 1.
	 * @param filter an MQTT topic filter
	 * @return a future that completes with the reason codes of the broker, also if they
	 * are refusals. It fails if the request cannot be sent
	 */
	CompletableFuture<int[]> subscribe(String filter) {
		CompletableFuture<int[]> answer = new CompletableFuture<>();
		Submission submission = request((packetId) -> ClientPackets.subscribe(packetId, filter), new Acknowledgment() {

			@Override
			public void acknowledged(int... reasonCodes) {
				answer.complete(reasonCodes);
			}

			@Override
			public void lost(Throwable cause) {
				answer.completeExceptionally(cause);
			}

		});
		if (submission != Submission.ACCEPTED) {
			answer.completeExceptionally(new IllegalStateException("the connection is closed"));
		}
		return answer;
	}

	/**
	 * Subscribes or unsubscribes.
	 * @param packet returns the SUBSCRIBE or UNSUBSCRIBE for a packet identifier
	 * @param acknowledgment called with the reason codes, also if they are refusals
	 * @return whether there is a connection
	 */
	public Submission request(IntFunction<MqttMessage> packet, Acknowledgment acknowledgment) {
		Packet request = new Packet(null, acknowledgment);
		Link link = add(request);
		return sent(request, (link != null) ? link.write(packet.apply(request.id)) : Submission.NOT_CONNECTED);
	}

	/**
	 * Adds a packet before it is sent, because its answer may arrive immediately.
	 * @return the link that sends it, {@code null} without a connection
	 */
	private synchronized @Nullable Link add(Packet packet) {
		if (this.link != null) {
			packet.id = nextId();
			this.packets.put(packet.id, packet);
			if (packet.publish != null) {
				this.publishes++;
				this.size += packet.publish.size();
			}
			packet.acknowledgment.assigned(packet.id);
		}
		return this.link;
	}

	private Submission sent(Packet packet, Submission submission) {
		if (submission != Submission.ACCEPTED) {
			remove(packet.id);
		}
		return submission;
	}

	/** Returns a free id, which exists, because the number of publishes is limited. */
	private int nextId() {
		do {
			this.lastId = this.lastId % MAX_PACKET_ID + 1;
		}
		while (this.packets.containsKey(this.lastId));
		return this.lastId;
	}

	private synchronized @Nullable Packet remove(int packetId) {
		Packet packet = this.packets.remove(packetId);
		if (packet != null && packet.publish != null) {
			this.publishes--;
			this.size -= packet.publish.size();
			notifyAll();
		}
		return packet;
	}

	/** Handles the last answer of the broker to a packet. */
	void answered(Link link, int packetId, int... reasonCodes) {
		Packet packet;
		synchronized (this) {
			// Otherwise it is sent again over the next link.
			packet = (this.link == link) ? remove(packetId) : null;
			if (packet != null && packet.publish != null) {
				sendAgain();
			}
		}
		if (packet != null) {
			packet.acknowledgment.acknowledged(reasonCodes);
		}
	}

	/**
	 * Handles a PUBREC: the broker keeps the message from now on.
	 * @return whether to send PUBREL. After the end of the link, the message may be sent
	 * again, and a PUBREL would make the broker take it for a new one
	 */
	synchronized boolean received(Link link, int packetId) {
		Packet packet = this.packets.get(packetId);
		if (this.link == link && packet != null && packet.publish != null) {
			packet.received = true;
		}
		return this.link == link;
	}

	/**
	 * Ends the use of a link. No packet is acknowledged, even if it is sent again.
	 * @param link the link
	 * @param cause the end of its connection
	 */
	public void disconnected(Link link, Throwable cause) {
		Collection<Packet> lost;
		synchronized (this) {
			if (this.link != link) {
				return;
			}
			this.link = null;
			this.accepted = null;
			lost = List.copyOf(this.packets.values());
			for (Packet packet : lost) {
				if (packet.publish == null || packet.publish.qos() == 0) {
					remove(packet.id);
				}
			}
			notifyAll();
		}
		lost.forEach((packet) -> packet.acknowledgment.lost(cause));
	}

	/** Discards all packets, because the session has ended. */
	public synchronized void clear() {
		List.copyOf(this.packets.keySet()).forEach(this::remove);
	}

	/**
	 * Returns the publishes in flight.
	 * @return an acknowledgment for each publish, in order
	 */
	public synchronized List<Acknowledgment> publishes() {
		return this.packets.values()
			.stream()
			.filter((packet) -> packet.publish != null)
			.map((packet) -> packet.acknowledgment)
			.toList();
	}

	/** Thrown when the broker does not permit a message. Its message ends a sentence. */
	public static final class NotPermittedException extends IllegalArgumentException {

		private static final long serialVersionUID = 1L;

		private final int reasonCode;

		NotPermittedException(int reasonCode, String problem) {
			super(problem);
			this.reasonCode = reasonCode;
		}

		/**
		 * Returns the reason code with which the broker would refuse the message.
		 * @return an MQTT 5 {@link ReasonCode}
		 */
		public int reasonCode() {
			return this.reasonCode;
		}

	}

	/** A packet that the broker has not answered. */
	static final class Packet {

		private int id;

		/** The message, {@code null} for a SUBSCRIBE or UNSUBSCRIBE. */
		private final @Nullable Outgoing publish;

		private final Acknowledgment acknowledgment;

		/** Whether the message was sent over an earlier connection. */
		private boolean repeated;

		/** Whether the broker has the message, which has QoS 2. */
		private boolean received;

		Packet(@Nullable Outgoing publish, Acknowledgment acknowledgment) {
			this.publish = publish;
			this.acknowledgment = acknowledgment;
		}

		int id() {
			return this.id;
		}

		Outgoing publish() {
			return Objects.requireNonNull(this.publish);
		}

		boolean isRepeated() {
			return this.repeated;
		}

	}

}
