package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.concurrent.FastThreadLocal;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.SessionConnection;
import org.jspecify.annotations.Nullable;

/**
 * Ordinary messages on their way to one client: those that wait until it accepts more
 * (MQTT 5 section 4.9), and those that it has not acknowledged. Other threads may call
 * {@link #deliver}; everything else runs on the event loop of the connection.
 */
final class SessionDeliveries implements SessionConnection {

	/** Maximum estimated heap of the inbox, in bytes, without queued messages. */
	private static final long MAX_INBOX = 16L * 1024 * 1024;

	/** Maximum number of deliveries that are read from the inbox at a time. */
	private static final int MAX_READ = 256;

	/** Maximum number of acknowledgments in one change. */
	private static final int MAX_COMPLETED = 64;

	/** Time for further acknowledgments. Losing them causes a repetition only. */
	private static final long COMPLETION_MILLIS = 20;

	/**
	 * Connections that received deliveries during the current burst: the packets that the
	 * event loop reads from one connection before
	 * {@link SessionHandler#channelReadComplete}. They are woken once, at its end.
	 * {@code null} outside a burst.
	 */
	private static final FastThreadLocal<@Nullable List<SessionDeliveries>> receivers = new FastThreadLocal<>();

	private final ChannelHandlerContext context;

	private final ClientShare memory;

	private final Client client;

	private final Owner owner;

	/** Deliveries of other threads. */
	private final Queue<Delivery> inbox = new ConcurrentLinkedQueue<>();

	private final AtomicLong inboxBytes = new AtomicLong();

	/** Whether the event loop is about to read the inbox. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/** Deliveries that wait until the client accepts more. */
	private final Queue<Delivery> waiting = new ArrayDeque<>();

	/**
	 * Numbers of the messages without an acknowledgment by packet identifier, 0 if they
	 * are not queued.
	 */
	private final Map<Integer, Long> inFlight = new HashMap<>();

	/** Numbers of completed messages that are not in the log. */
	private final List<Long> completed = new ArrayList<>();

	private int lastPacketId;

	private boolean draining;

	private boolean ended;

	SessionDeliveries(ChannelHandlerContext context, ClientShare memory, Client client, Owner owner) {
		this.context = context;
		this.memory = memory;
		this.client = client;
		this.owner = owner;
	}

	/** Begins a burst on the event loop of this thread. */
	static void beginBurst() {
		if (receivers.get() == null) {
			receivers.set(new ArrayList<>());
		}
	}

	/** Hands the deliveries of a burst over to their connections. */
	static void endBurst() {
		List<SessionDeliveries> burst = receivers.get();
		if (burst != null) {
			receivers.remove();
			burst.forEach(SessionDeliveries::schedule);
		}
	}

	@Override
	public void deliver(Delivery delivery) {
		// This event loop cannot read the inbox meanwhile.
		if (delivery.number() == 0 && this.inboxBytes.getAndAdd(cost(delivery)) > MAX_INBOX
				&& !this.context.executor().inEventLoop()) {
			this.inboxBytes.addAndGet(-cost(delivery));
			if (delivery.qos() > 0) {
				this.owner.exceeded();
			}
			return;
		}
		this.inbox.add(delivery);
		if (!this.scheduled.compareAndSet(false, true)) {
			return;
		}
		List<SessionDeliveries> burst = receivers.get();
		if (burst != null) {
			burst.add(this);
		}
		else {
			schedule();
		}
	}

	private void schedule() {
		try {
			this.context.executor().execute(this::readInbox);
		}
		catch (RejectedExecutionException ex) {
			// The broker has stopped, which ended the connection.
		}
	}

	private void readInbox() {
		this.scheduled.set(false);
		try {
			Delivery next = this.inbox.poll();
			for (int i = 0; next != null; i++) {
				if (next.number() == 0) {
					this.inboxBytes.addAndGet(-cost(next));
				}
				if (!this.ended) {
					receive(next);
				}
				// Other connections of the event loop have their turn.
				next = (i < MAX_READ - 1) ? this.inbox.poll() : null;
			}
			this.owner.flush();
		}
		catch (RuntimeException | Error ex) {
			this.owner.failed(ex);
		}
		if (!this.inbox.isEmpty() && this.scheduled.compareAndSet(false, true)) {
			schedule();
		}
	}

	private void receive(Delivery delivery) {
		if (this.waiting.isEmpty() && isReady(delivery)) {
			send(delivery);
		}
		else if (delivery.number() > 0 || this.memory.tryReserve(MemoryUse.OUTGOING, cost(delivery))) {
			this.waiting.add(delivery);
		}
		else if (delivery.qos() > 0) {
			this.owner.exceeded();
		}
	}

	private static long cost(Delivery delivery) {
		return delivery.message().cost();
	}

	private boolean isReady(Delivery delivery) {
		if (!this.context.channel().isWritable()) {
			return false;
		}
		return delivery.qos() == 0 || delivery.isReceived() || this.inFlight.size() < this.client.receiveMaximum
				&& (delivery.number() == 0 || !this.inFlight.containsKey(delivery.packetId()));
	}

	private void send(Delivery delivery) {
		long now = this.owner.now();
		if (delivery.isReceived()) {
			this.inFlight.put(delivery.packetId(), delivery.number());
			write(Packets.pubrel(delivery.packetId(), 0, this.client.mqtt5));
			return;
		}
		// A repeated one with QoS 2 must be completed (MQTT 5 section 4.3.3).
		boolean expired = delivery.message().isExpired(now) && !(delivery.qos() == 2 && delivery.isRepeated());
		if (expired || Publications.size(delivery, this.client.mqtt5) > this.client.maxPacketSize
				|| !this.client.mayReceive.test(delivery.message().topic())) {
			complete(delivery.number());
			return;
		}
		int packetId = 0;
		if (delivery.qos() > 0) {
			packetId = (delivery.number() > 0) ? delivery.packetId() : nextPacketId();
			this.inFlight.put(packetId, delivery.number());
		}
		write(Publications.packet(delivery, packetId, this.client.mqtt5, now));
	}

	private int nextPacketId() {
		do {
			this.lastPacketId = this.lastPacketId % Delivery.MAX_PACKET_ID + 1;
		}
		while (this.inFlight.containsKey(this.lastPacketId));
		return this.lastPacketId;
	}

	private void write(MqttMessage packet) {
		this.context.write(packet, this.context.voidPromise());
	}

	/**
	 * Returns the message in flight with a packet identifier.
	 * @return its number, 0 if it is not queued, or {@code null} if there is none
	 */
	@Nullable Long find(int packetId) {
		return this.inFlight.get(packetId);
	}

	/** Handles a PUBACK, PUBCOMP, or failed PUBREC of the client. */
	void completed(int packetId) {
		Long number = this.inFlight.remove(packetId);
		if (number != null) {
			complete(number);
		}
		drain();
	}

	private void complete(long number) {
		if (number == 0) {
			return;
		}
		this.completed.add(number);
		if (this.completed.size() == MAX_COMPLETED) {
			logCompleted();
		}
		else if (this.completed.size() == 1) {
			this.context.executor().schedule(this::logCompleted, COMPLETION_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void logCompleted() {
		if (!this.completed.isEmpty()) {
			long[] numbers = this.completed.stream().mapToLong(Long::longValue).toArray();
			this.completed.clear();
			this.owner.completed(numbers);
		}
	}

	/** Sends waiting messages, up to the first that must still wait. */
	void drain() {
		// A write that makes the channel writable or not calls this method again.
		if (this.draining) {
			return;
		}
		this.draining = true;
		try {
			for (Delivery next = this.waiting.peek(); next != null && isReady(next); next = this.waiting.peek()) {
				this.waiting.remove();
				if (next.number() == 0) {
					this.memory.release(MemoryUse.OUTGOING, cost(next));
				}
				send(next);
			}
		}
		finally {
			this.draining = false;
		}
	}

	/** Ends the connection. Messages that are not completed stay in the session. */
	void end() {
		this.ended = true;
		logCompleted();
		this.waiting.clear();
		this.inFlight.clear();
	}

	/**
	 * What a client accepts.
	 *
	 * @param mqtt5 whether it uses MQTT 5
	 * @param receiveMaximum maximum number of messages without an acknowledgment
	 * @param maxPacketSize maximum size of a packet in bytes
	 * @param mayReceive returns whether it may receive messages on a topic now
	 */
	record Client(boolean mqtt5, int receiveMaximum, long maxPacketSize, Predicate<String> mayReceive) {
	}

	/** The connection. */
	interface Owner {

		/** Returns the log time. */
		long now();

		/** Called on the event loop with the numbers of messages to acknowledge. */
		void completed(long[] numbers);

		/** Called by any thread if a message must be dropped because memory is short. */
		void exceeded();

		/** Called on the event loop after messages were written. */
		void flush();

		/** Called on the event loop after a failure. */
		void failed(Throwable failure);

	}

}
