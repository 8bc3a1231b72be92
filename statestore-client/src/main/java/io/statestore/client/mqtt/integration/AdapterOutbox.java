package io.statestore.client.mqtt.integration;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.client.mqtt.internal.Link;
import io.statestore.client.mqtt.internal.LinkMessage.Acknowledgment;
import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.client.mqtt.internal.LinkMessage;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.packet.MqttReturnCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of the adapters that the broker has not answered. Messages with QoS 1 and 2
 * outlive a connection, and are sent again over the next connection in the same order
 * (MQTT 5 section 4.4). Thread-safe.
 */
final class AdapterOutbox {

	private static final Logger logger = LoggerFactory.getLogger(AdapterOutbox.class);

	private static final int MAX_PACKET_ID = 65_535;

	/** Leaves some of the packet identifiers to subscriptions. */
	private static final int MAX_IN_FLIGHT = 65_000;

	/** Messages by packet identifier, in the order of publishing. */
	private final Map<Integer, Outgoing> messages = new LinkedHashMap<>();

	/** Subscriptions and their ends, by packet identifier. */
	private final Map<Integer, AdapterToken> requests = new HashMap<>();

	/** Messages of earlier connections that are still to be sent again. */
	private final Queue<Outgoing> waiting = new ArrayDeque<>();

	/** The latest link, {@code null} without a connection. */
	private @Nullable Link link;

	/** Maximum number of messages in flight. */
	private int window;

	private int lastId;

	/**
	 * Begins to use a link, by sending messages of earlier connections again. Drops those
	 * that the broker no longer permits, which would end each connection.
	 */
	synchronized void connected(Link link) {
		this.link = link;
		this.messages.values().removeIf((outgoing) -> {
			MqttException refusal = outgoing.received ? null : refusal(link, outgoing.message, outgoing.size);
			if (refusal != null) {
				logger.warn("Dropped a message that was published over an earlier connection", refusal);
			}
			return refusal != null;
		});
		this.window = Math.min(MAX_IN_FLIGHT, link.receiveMaximum());
		this.waiting.clear();
		this.waiting.addAll(this.messages.values());
		for (int i = 0; i < this.window; i++) {
			sendAgain(link);
		}
	}

	private void sendAgain(Link link) {
		Outgoing next = this.waiting.poll();
		if (next != null) {
			next.send(link, true);
		}
	}

	/**
	 * Publishes a message, once fewer messages are in flight than the broker permits.
	 * @param size size of the packet in bytes
	 * @param timeout maximum time to wait
	 * @throws MqttException if there is no connection, too many messages are in flight,
	 * or the broker does not permit the message
	 */
	synchronized void publish(AdapterToken token, LinkMessage message, int size, Duration timeout)
			throws MqttException {
		awaitRoom(timeout);
		MqttException refusal = refusal(requiredLink(), message, size);
		if (refusal != null) {
			throw refusal;
		}
		Outgoing outgoing = new Outgoing(nextId(), message, size, token);
		token.setMessageId((message.qos() > 0) ? outgoing.packetId : 0);
		if (outgoing.send(requiredLink(), false) != Submission.ACCEPTED) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED);
		}
		this.messages.put(outgoing.packetId, outgoing);
	}

	/** Returns why the broker does not permit a message, {@code null} if it does. */
	private static @Nullable MqttException refusal(Link link, LinkMessage message, int size) {
		Long maximumSize = link.maximumPacketSize();
		if (maximumSize != null && size > maximumSize) {
			return refusal(MqttReturnCode.RETURN_CODE_PACKET_TOO_LARGE, message,
					"has " + size + " bytes, but the broker accepts packets of at most " + maximumSize);
		}
		if (message.qos() > link.maximumQos()) {
			return refusal(MqttReturnCode.RETURN_CODE_QOS_NOT_SUPPORTED, message,
					"has QoS " + message.qos() + ", but the broker accepts at most QoS " + link.maximumQos());
		}
		if (message.retained() && !link.isRetainAvailable()) {
			return refusal(MqttReturnCode.RETURN_CODE_RETAIN_NOT_SUPPORTED, message,
					"is retained, but the broker does not retain messages");
		}
		return null;
	}

	private static MqttException refusal(int code, LinkMessage message, String problem) {
		return new MqttException(code,
				new IllegalArgumentException("The message to '" + message.topic() + "' " + problem));
	}

	private void awaitRoom(Duration timeout) throws MqttException {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (this.link != null && this.messages.size() >= this.window) {
			long remaining = deadline - System.nanoTime();
			if (remaining <= 0) {
				throw new MqttException(MqttClientException.REASON_CODE_MAX_INFLIGHT);
			}
			try {
				TimeUnit.NANOSECONDS.timedWait(this, remaining);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new MqttException(ex);
			}
		}
	}

	/**
	 * Subscribes or unsubscribes.
	 * @param packet returns the packet for a packet identifier
	 * @throws MqttException if there is no connection
	 */
	synchronized void request(AdapterToken token, IntFunction<MqttMessage> packet) throws MqttException {
		Link link = requiredLink();
		int packetId = nextId();
		token.setMessageId(packetId);
		this.requests.put(packetId, token);
		link.request(packetId, packet.apply(packetId))
			.whenComplete((codes, failure) -> answered(packetId, token, codes));
	}

	private Link requiredLink() throws MqttException {
		if (this.link == null) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED);
		}
		return this.link;
	}

	private int nextId() {
		do {
			this.lastId = this.lastId % MAX_PACKET_ID + 1;
		}
		while (this.messages.containsKey(this.lastId) || this.requests.containsKey(this.lastId));
		return this.lastId;
	}

	private void answered(int packetId, AdapterToken token, int @Nullable [] codes) {
		synchronized (this) {
			this.requests.remove(packetId, token);
		}
		if (codes != null) {
			token.answered(codes);
		}
		else {
			token.lost();
		}
	}

	private void acknowledged(Link link, Outgoing outgoing, int reasonCode) {
		synchronized (this) {
			// Otherwise it is sent again over the next link.
			if (this.link == link && this.messages.remove(outgoing.packetId, outgoing)) {
				sendAgain(link);
				notifyAll();
			}
		}
		outgoing.token.answered(reasonCode);
	}

	/**
	 * Ends the use of the link. All tokens fail, also of messages that are sent again.
	 */
	synchronized void disconnected() {
		this.link = null;
		this.messages.values().forEach((outgoing) -> outgoing.token.lost());
		this.messages.values().removeIf((outgoing) -> outgoing.message.qos() == 0);
		this.requests.values().forEach(AdapterToken::lost);
		this.requests.clear();
		notifyAll();
	}

	/** Discards all messages, because the session has ended. */
	synchronized void clear() {
		this.messages.clear();
	}

	synchronized int size() {
		return this.messages.size();
	}

	/** Returns the tokens of all messages in flight. */
	synchronized IMqttToken[] tokens() {
		return this.messages.values().stream().map((outgoing) -> outgoing.token).toArray(IMqttToken[]::new);
	}

	/** A message that the broker has not acknowledged. */
	private final class Outgoing {

		private final int packetId;

		private final LinkMessage message;

		/** Size of the packet in bytes. */
		private final int size;

		private final AdapterToken token;

		/** Whether the broker has the message, which has QoS 2. */
		private volatile boolean received;

		Outgoing(int packetId, LinkMessage message, int size, AdapterToken token) {
			this.packetId = packetId;
			this.message = message;
			this.size = size;
			this.token = token;
		}

		Submission send(Link link, boolean repeated) {
			Acknowledgment acknowledgment = new Acknowledgment() {

				@Override
				public void acknowledged(int reasonCode) {
					AdapterOutbox.this.acknowledged(link, Outgoing.this, reasonCode);
				}

				@Override
				public void received() {
					Outgoing.this.received = true;
				}

			};
			if (this.received) {
				link.release(this.packetId, acknowledgment);
				return Submission.ACCEPTED;
			}
			return link.publish(this.message, this.packetId, repeated, acknowledgment);
		}

	}

}
