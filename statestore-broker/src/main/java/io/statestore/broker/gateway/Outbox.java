package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

import io.statestore.broker.gateway.BrokerConnection.Accepted;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes to the broker, in one line over all connections: messages that it has not
 * acknowledged when a connection ends are sent again on the next. The acknowledgement of
 * a request waits in the same line, behind its reply, so that a broker that takes nothing
 * sends nothing either. Used on the event loop only; writes but does not flush.
 */
final class Outbox {

	private static final Logger logger = LoggerFactory.getLogger(Outbox.class);

	private static final int MAX_PACKET_ID = 65_535;

	private final Deque<Entry> waiting = new ArrayDeque<>();

	private final Map<Integer, Message> inFlight = new LinkedHashMap<>();

	private @Nullable BrokerConnection connection;

	private int receiveMaximum;

	private long maxPacketSize;

	private int lastId;

	/**
	 * Send a message when its turn comes.
	 * @param acknowledged told the reason code of its PUBACK
	 */
	void publish(OwnPublish publish, IntConsumer acknowledged) {
		this.waiting.add(new Message(publish, acknowledged));
		drain();
	}

	/** Acknowledge a request that came over a connection, if that is still there. */
	void acknowledge(BrokerConnection origin, int packetId) {
		this.waiting.add(new Acknowledgement(origin, packetId));
		drain();
	}

	/** A new connection: what the old one left open goes first. */
	void connected(BrokerConnection connection, Accepted accepted) {
		this.connection = connection;
		this.receiveMaximum = accepted.receiveMaximum();
		this.maxPacketSize = accepted.maxPacketSize();
		if (accepted.sessionPresent() && this.inFlight.size() <= accepted.receiveMaximum()) {
			this.inFlight.forEach((id, message) -> connection.write(message.publish().toPacket(id, true)));
		}
		else {
			new ArrayDeque<>(this.inFlight.values()).descendingIterator().forEachRemaining(this.waiting::addFirst);
			this.inFlight.clear();
		}
		drain();
	}

	void disconnected() {
		this.connection = null;
		this.waiting.removeIf(Acknowledgement.class::isInstance);
	}

	/** The broker has answered a message. */
	void acknowledged(int packetId, int reasonCode) {
		Message message = this.inFlight.remove(packetId);
		if (message != null) {
			message.acknowledged().accept(reasonCode);
		}
		drain();
	}

	/** Send what can go. */
	void drain() {
		while (this.connection != null && !this.waiting.isEmpty() && this.connection.isWritable()
				&& send(this.connection, this.waiting.element())) {
			this.waiting.remove();
		}
	}

	private boolean send(BrokerConnection connection, Entry entry) {
		if (entry instanceof Acknowledgement acknowledgement) {
			acknowledgement.origin().write(Packets.acknowledgement(Packets.MQTT_5, 1, acknowledgement.packetId(), 0));
			return true;
		}
		Message message = (Message) entry;
		if (message.publish().size() > this.maxPacketSize) {
			logger.warn("Dropped a {} of {} bytes: the broker accepts packets of at most {} bytes; raise its limit",
					message.publish().message().kind(), message.publish().size(), this.maxPacketSize);
			return true;
		}
		if (this.inFlight.size() >= this.receiveMaximum) {
			return false;
		}
		int id = nextId();
		this.inFlight.put(id, message);
		connection.write(message.publish().toPacket(id));
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

	private sealed interface Entry {

	}

	private record Message(OwnPublish publish, IntConsumer acknowledged) implements Entry {
	}

	private record Acknowledgement(BrokerConnection origin, int packetId) implements Entry {
	}

}
