package io.statestore.client.mqtt.integration;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.statestore.client.mqtt.internal.Link;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the messages of the adapters one at a time, in order of arrival, and not on
 * network threads. A message is complete when its listeners have returned or, with manual
 * acknowledgment, when the application has acknowledged it. Thread-safe.
 * <p>
 * The broker sends at most {@value #RECEIVE_MAXIMUM} messages of QoS 1 without
 * acknowledgment, so a slow listener slows down the broker and the queue stays bounded.
 * This does not apply to messages of QoS 0, which are dropped while
 * {@value #MAX_UNCONFIRMED} of them wait.
 */
final class AdapterInbox {

	/** Maximum number of unacknowledged messages (MQTT 5 section 4.9). */
	static final int RECEIVE_MAXIMUM = 1024;

	/** Maximum number of messages of QoS 0 that wait for delivery. */
	static final int MAX_UNCONFIRMED = 10_000;

	private static final Logger logger = LoggerFactory.getLogger(AdapterInbox.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<Delivery> waiting = new ArrayDeque<>();

	private final AdapterSubscriptions subscriptions;

	private final Executor executor;

	private final BooleanSupplier manualAcks;

	/** Latest message id, which adapters see instead of the packet id. */
	private int lastId;

	/** Number of waiting messages of QoS 0. */
	private int unconfirmed;

	/** Whether messages of QoS 0 are dropped. */
	private boolean dropping;

	/** Whether a delivery is running or about to start. */
	private boolean delivering;

	/**
	 * @param executor runs the listeners
	 * @param manualAcks returns whether the application acknowledges messages itself
	 */
	AdapterInbox(AdapterSubscriptions subscriptions, Executor executor, BooleanSupplier manualAcks) {
		this.subscriptions = subscriptions;
		this.executor = executor;
		this.manualAcks = manualAcks;
	}

	/** Accepts a message. Never blocks. */
	void arrived(AdapterSession session, String topic, MqttMessage message) {
		this.lock.lock();
		try {
			if (message.getQos() == 0 && !admit(topic)) {
				return;
			}
			Delivery delivery = new Delivery(session, topic, message);
			if (delivery.isConfirmed()) {
				this.lastId = (this.lastId == Integer.MAX_VALUE) ? 1 : this.lastId + 1;
				session.acknowledgments().arrived(this.lastId, message.getId());
				// Unlike packet ids, the next connection does not use these ids again.
				message.setId(this.lastId);
			}
			this.waiting.add(delivery);
			if (this.delivering) {
				return;
			}
			this.delivering = true;
		}
		finally {
			this.lock.unlock();
		}
		startDelivery(session);
	}

	private void startDelivery(AdapterSession session) {
		try {
			this.executor.execute(this::deliverAll);
		}
		catch (RuntimeException | Error ex) {
			// For example a missing thread. The next message tries again.
			this.lock.lock();
			try {
				this.delivering = false;
			}
			finally {
				this.lock.unlock();
			}
			session.abort(Link.describe("a message could not be handed to its flow", ex));
		}
	}

	/** Counts a message of QoS 0, and returns whether there is room for it. */
	private boolean admit(String topic) {
		boolean full = this.unconfirmed >= MAX_UNCONFIRMED;
		if (full && !this.dropping) {
			logger.warn(
					"{} messages of QoS 0 wait for a flow, the next one on '{}'. Dropping those that follow until "
							+ "the flow has caught up. Subscribe with QoS 1 to slow down the broker instead",
					MAX_UNCONFIRMED, topic);
		}
		this.dropping = full;
		this.unconfirmed += full ? 0 : 1;
		return !full;
	}

	/** Drops waiting messages that the broker delivers again on the resumed session. */
	void resumed(AdapterSession session) {
		this.lock.lock();
		try {
			this.waiting.removeIf((delivery) -> delivery.session != session && delivery.isConfirmed());
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Drops all messages. */
	void clear() {
		this.lock.lock();
		try {
			this.waiting.clear();
			this.unconfirmed = 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void deliverAll() {
		for (Delivery delivery = next(); delivery != null; delivery = next()) {
			try {
				deliver(delivery);
			}
			catch (RuntimeException | Error ex) {
				logger.error("Failed to deliver a message on '{}'", delivery.topic, ex);
				if (delivery.isConfirmed()) {
					delivery.session.abort(Link.describe("a message could not be delivered", ex));
				}
			}
		}
	}

	private @Nullable Delivery next() {
		this.lock.lock();
		try {
			Delivery delivery = this.waiting.poll();
			if (delivery != null && !delivery.isConfirmed()) {
				this.unconfirmed--;
			}
			this.delivering = delivery != null;
			return delivery;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void deliver(Delivery delivery) {
		MqttMessage message = delivery.message;
		AdapterAcknowledgments acknowledgments = delivery.session.acknowledgments();
		List<IMqttMessageListener> listeners = this.subscriptions.listeners(delivery.topic, message);
		boolean acknowledgedByUser = this.manualAcks.getAsBoolean() && !listeners.isEmpty();
		if (acknowledgedByUser) {
			acknowledgments.require(message.getId(), listeners.size());
		}
		listeners.forEach((listener) -> call(listener, delivery.topic, message));
		if (listeners.isEmpty()) {
			call(this.subscriptions.unmatched(), delivery.topic, message);
		}
		if (delivery.isConfirmed() && !acknowledgedByUser) {
			acknowledgments.complete(message.getId());
		}
	}

	private static void call(IMqttMessageListener listener, String topic, MqttMessage message) {
		try {
			listener.messageArrived(topic, message);
		}
		catch (Exception | Error ex) {
			logger.error("The flow of a message on '{}' failed. Set an error channel on the adapter to handle such "
					+ "messages", topic, ex);
		}
	}

	private record Delivery(AdapterSession session, String topic, MqttMessage message) {

		boolean isConfirmed() {
			return this.message.getQos() > 0;
		}

	}

}
