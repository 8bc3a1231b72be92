package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionConnection;
import io.statestore.broker.session.SessionLog;
import io.statestore.time.Activity;
import org.slf4j.LoggerFactory;

/**
 * Messages on their way to one client: those waiting until the client accepts more (MQTT
 * 5 section 4.9), and those it has not acknowledged. State store messages and ordinary
 * messages take turns, so that a backlog of one kind does not delay the other. Other
 * threads may call {@link #deliver}; everything else runs on the connection's event loop.
 * Writes without flushing.
 */
final class OutboundFlow implements SessionConnection {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(OutboundFlow.class));

	/**
	 * Estimated heap usage of a waiting state store message, in bytes, not including its
	 * packet.
	 */
	static final int OVERHEAD = 256;

	/**
	 * Maximum estimated heap of ordinary messages passed by other threads that the event
	 * loop has not received yet, in bytes. Does not include queued messages, which
	 * sessions limit themselves.
	 */
	private static final long MAX_ARRIVING = 16L * 1024 * 1024;

	/**
	 * Lowest packet identifier for messages that are not queued; also the number of such
	 * identifiers.
	 */
	private static final int FIRST_PACKET_ID = Delivery.MAX_PACKET_ID + 1;

	/** Number of an ordinary message that is not queued in the session. */
	private static final long UNQUEUED = 0;

	/** Number of a state store message, which is not queued either. */
	private static final long OF_STORE = -1;

	/** Maximum number of acknowledgments per change. */
	private static final int MAX_ACKNOWLEDGMENTS = 64;

	/** How long to collect more acknowledgments for the same change. */
	private static final long COLLECT_MILLIS = 20;

	private final ClientLink link;

	private final Receiver receiver;

	private final PendingChanges pending;

	/** Number of the connection in the log, 0 if the log does not have it. */
	private final long connectionNumber;

	/** Tracks state store messages that the client has not acknowledged. */
	private final Activity undelivered;

	/**
	 * Passes ordinary messages to the event loop. Replies to packets may overtake them.
	 */
	private final LoopTasks arrivals;

	private final AtomicLong arrivingBytes = new AtomicLong();

	/**
	 * Waiting state store messages ({@link OwnPublish}), and acknowledgments that must
	 * keep their position among them ({@link MqttMessage}).
	 */
	private final Queue<Object> ofStore = new ArrayDeque<>();

	/**
	 * Waiting ordinary messages. The memory of queued messages is charged to the session.
	 */
	private final Queue<Delivery> ordinary = new ArrayDeque<>();

	/**
	 * Whether to send an ordinary message next if both queues have a message.
	 */
	private boolean ordinaryTurn;

	/** Numbers of unacknowledged messages, by packet identifier. */
	private final Map<Integer, Long> inFlight = new HashMap<>();

	/**
	 * Numbers of messages whose completion is not in the log yet. If these are lost,
	 * messages are only repeated.
	 */
	private final List<Long> unlogged = new ArrayList<>();

	private int lastPacketId;

	private boolean draining;

	/** Whether dropping a message that was too large has been reported. */
	private boolean dropReported;

	/**
	 * Creates an empty flow.
	 * @param link the connection
	 * @param receiver the client's limits
	 * @param pending the connection's changes
	 * @param connectionNumber number of the connection in the log, 0 if the log does not
	 * have it
	 * @param undelivered tracks unacknowledged state store messages
	 */
	OutboundFlow(ClientLink link, Receiver receiver, PendingChanges pending, long connectionNumber,
			Activity undelivered) {
		this.link = link;
		this.receiver = receiver;
		this.pending = pending;
		this.connectionNumber = connectionNumber;
		this.undelivered = undelivered;
		this.arrivals = link.newTasks(true);
	}

	/**
	 * Sends a state store message, now or later. Drops it if it exceeds the maximum
	 * packet size.
	 * @param publish the message
	 * @return whether the client will acknowledge the message
	 */
	boolean publish(OwnPublish publish) {
		OwnPublish fitting = publish.within(this.receiver.maxPacketSize);
		if (fitting == null) {
			// A message that is too large counts as sent (MQTT 5 section 3.1.2.11.4).
			warnOfDrop(publish);
			return false;
		}
		return offer(this.ofStore, fitting) && fitting.qos() > 0;
	}

	/** Warns once per connection, because clients can cause drops at any rate. */
	private void warnOfDrop(OwnPublish publish) {
		if (!this.dropReported) {
			this.dropReported = true;
			clientLog.warn(
					"Dropped a {} of {} bytes to {}: the client accepts packets of at most {} bytes. "
							+ "Give it a larger Maximum Packet Size (not logged again for this connection)",
					publish.message().kind(), publish.size(), ClientAddress.of(this.link.context().channel()),
					this.receiver.maxPacketSize);
		}
	}

	/**
	 * Sends an acknowledgment after the state store messages in this flow.
	 * @param acknowledgment the PUBACK or PUBREC
	 */
	void acknowledge(MqttMessage acknowledgment) {
		offer(this.ofStore, acknowledgment);
	}

	@Override
	public void deliver(Delivery delivery) {
		boolean queued = delivery.number() != UNQUEUED;
		// The event loop itself may exceed the limit, because it cannot receive messages
		// while it is delivering.
		if (!queued && this.arrivingBytes.getAndAdd(delivery.message().cost()) > MAX_ARRIVING
				&& !this.link.context().executor().inEventLoop()) {
			this.arrivingBytes.addAndGet(-delivery.message().cost());
			if (delivery.qos() > 0) {
				this.link.tasks().execute(this::exceeded);
			}
			return;
		}
		this.arrivals.executeLater(() -> receive(delivery));
	}

	private void receive(Delivery delivery) {
		if (delivery.number() == UNQUEUED) {
			this.arrivingBytes.addAndGet(-delivery.message().cost());
		}
		try {
			if (!this.link.isEnded()) {
				offer(this.ordinary, delivery);
			}
		}
		catch (RuntimeException ex) {
			// Otherwise, the client would miss the message.
			this.link.failed(ex);
		}
	}

	/** Sends a packet, now or later. Returns {@code false} if memory is exhausted. */
	private <E> boolean offer(Queue<? super E> waiting, E packet) {
		if (waiting.isEmpty() && isReady(packet)) {
			send(packet);
			return true;
		}
		long cost = cost(packet);
		if (cost == 0 || this.link.memory().tryReserve(MemoryUse.OUTGOING, cost)) {
			waiting.add(packet);
			return true;
		}
		if (!(packet instanceof Delivery delivery && delivery.qos() == 0)) {
			exceeded();
		}
		return false;
	}

	/** Returns the heap charged to the client for a packet, in bytes. */
	private static long cost(Object packet) {
		if (packet instanceof Delivery delivery) {
			return (delivery.number() == UNQUEUED) ? delivery.message().cost() : 0;
		}
		return OVERHEAD + ((packet instanceof OwnPublish publish) ? publish.size() : 0);
	}

	private void exceeded() {
		this.link.disconnect(ReasonCodes.QUOTA_EXCEEDED, "the memory of messages waiting for this client is exhausted");
	}

	private boolean isReady(Object packet) {
		if (packet instanceof MqttMessage) {
			return true;
		}
		if (!this.link.context().channel().isWritable()) {
			return false;
		}
		boolean hasRoom = this.inFlight.size() < Math.min(this.receiver.receiveMaximum, Delivery.MAX_PACKET_ID);
		if (packet instanceof Delivery delivery) {
			return delivery.qos() == 0 || delivery.isReceived()
					|| hasRoom && (delivery.number() == UNQUEUED || !this.inFlight.containsKey(delivery.packetId()));
		}
		return hasRoom || packet instanceof OwnPublish publish && publish.qos() == 0;
	}

	private void send(Object packet) {
		if (packet instanceof Delivery delivery) {
			send(delivery);
		}
		else if (packet instanceof OwnPublish publish) {
			int packetId = (publish.qos() > 0) ? putInFlight(nextPacketId(), OF_STORE) : 0;
			this.link.publish(publish, packetId, false);
		}
		else {
			this.link.write((MqttMessage) packet);
		}
	}

	private void send(Delivery delivery) {
		Message message = delivery.message();
		long now = this.pending.log().now();
		DeliveryPublish publish = new DeliveryPublish(delivery, this.link.isMqtt5(), now);
		// A repeated QoS 2 message must be completed (MQTT 5 section 4.3.3).
		boolean expired = message.isExpired(now) && !(delivery.qos() == 2 && delivery.isRepeated());
		if (delivery.isReceived()) {
			int packetId = putInFlight(delivery.packetId(), delivery.number());
			sendPubrel(packetId, 0);
		}
		else if (expired || publish.size() > this.receiver.maxPacketSize
				|| !this.receiver.mayReceive.test(message.topic())) {
			complete(delivery.number());
		}
		else {
			int packetId = (delivery.qos() == 0) ? 0 : putInFlight(
					(delivery.number() == UNQUEUED) ? nextPacketId() : delivery.packetId(), delivery.number());
			this.link.publish(publish, packetId, delivery.isRepeated());
		}
	}

	/** Counts a message as in flight and returns its packet identifier. */
	private int putInFlight(int packetId, long number) {
		this.inFlight.put(packetId, number);
		return packetId;
	}

	/**
	 * Returns an unused identifier. There always is one, because queued messages never
	 * use the upper half, and the number of messages in flight is limited to half of the
	 * identifiers.
	 */
	private int nextPacketId() {
		do {
			this.lastPacketId = FIRST_PACKET_ID + (this.lastPacketId + 1) % FIRST_PACKET_ID;
		}
		while (this.inFlight.containsKey(this.lastPacketId));
		return this.lastPacketId;
	}

	/** Handles a PUBREC from the client. */
	void received(MqttMessage pubrec) {
		int packetId = Packets.packetId(pubrec);
		long number = this.inFlight.getOrDefault(packetId, OF_STORE);
		if (Packets.isFailure(pubrec)) {
			completed(packetId);
		}
		else if (number > 0) {
			this.pending.append(new SessionChange.Acknowledge(this.link.clientId(), this.connectionNumber, true,
					new long[] { number }), (applied) -> sendPubrel(packetId, 0));
		}
		else {
			sendPubrel(packetId, (number == UNQUEUED) ? 0 : ReasonCodes.PACKET_ID_NOT_FOUND);
		}
	}

	private void sendPubrel(int packetId, int reasonCode) {
		this.link.write(Packets.reply(MqttMessageType.PUBREL, packetId, reasonCode));
	}

	/** Handles a PUBACK, PUBCOMP, or failed PUBREC from the client. */
	void completed(int packetId) {
		Long number = this.inFlight.remove(packetId);
		if (number != null && number == OF_STORE) {
			this.undelivered.add(-1);
		}
		else if (number != null) {
			complete(number);
		}
		drain();
	}

	private void complete(long number) {
		if (number == UNQUEUED) {
			return;
		}
		this.unlogged.add(number);
		if (this.unlogged.size() == MAX_ACKNOWLEDGMENTS) {
			logCompleted();
		}
		else if (this.unlogged.size() == 1) {
			this.link.context().executor().schedule(this::logCompleted, COLLECT_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void logCompleted() {
		if (!this.unlogged.isEmpty()) {
			long[] numbers = this.unlogged.stream().mapToLong(Long::longValue).toArray();
			this.unlogged.clear();
			this.pending.log()
				.append(new SessionChange.Acknowledge(this.link.clientId(), this.connectionNumber, false, numbers),
						SessionLog.Outcome.NONE);
		}
	}

	/** Sends waiting packets until the first packet in both queues has to wait. */
	void drain() {
		// A write that changes the channel's writability calls this method again.
		if (this.draining) {
			return;
		}
		this.draining = true;
		try {
			boolean sent = true;
			while (sent) {
				sent = sendFirst(this.ordinaryTurn ? this.ordinary : this.ofStore);
				if (sent) {
					this.ordinaryTurn = !this.ordinaryTurn;
				}
				else {
					sent = sendFirst(this.ordinaryTurn ? this.ofStore : this.ordinary);
				}
			}
		}
		finally {
			this.draining = false;
		}
	}

	private boolean sendFirst(Queue<?> waiting) {
		Object first = waiting.peek();
		if (first == null || !isReady(first)) {
			return false;
		}
		waiting.remove();
		releaseMemory(first);
		send(first);
		return true;
	}

	private void releaseMemory(Object packet) {
		this.link.memory().release(MemoryUse.OUTGOING, cost(packet));
	}

	/**
	 * Discards waiting notifications, because the client may no longer receive them.
	 * @param topic the topic of the notifications
	 * @return the number of discarded notifications
	 */
	int discardNotifications(String topic) {
		int before = this.ofStore.size();
		this.ofStore.removeIf((packet) -> {
			boolean discarded = packet instanceof OwnPublish publish && publish.message().kind() == Kind.NOTIFICATION
					&& publish.message().topic().equals(topic);
			if (discarded) {
				releaseMemory(packet);
			}
			return discarded;
		});
		int count = before - this.ofStore.size();
		// Later messages may now be ready.
		drain();
		return count;
	}

	/**
	 * Discards waiting messages at the end of the connection. Queued messages stay in the
	 * session until they are completed.
	 */
	void close() {
		logCompleted();
		this.ofStore.forEach(this::releaseMemory);
		this.ordinary.forEach(this::releaseMemory);
		this.ofStore.clear();
		this.ordinary.clear();
		this.inFlight.clear();
	}

	/**
	 * A client's limits on the messages it receives.
	 *
	 * @param receiveMaximum maximum number of unacknowledged messages
	 * @param maxPacketSize maximum size of a packet, in bytes
	 * @param mayReceive returns whether the client may currently receive ordinary
	 * messages on a topic
	 */
	record Receiver(int receiveMaximum, long maxPacketSize, Predicate<String> mayReceive) {
	}

}
