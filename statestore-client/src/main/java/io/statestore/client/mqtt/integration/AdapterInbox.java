package io.statestore.client.mqtt.integration;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

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
 * acknowledgment, so a slow listener slows down the broker and the queue of the executor
 * stays bounded. This does not apply to messages of QoS 0, which are dropped while
 * {@value #MAX_UNCONFIRMED} of them wait.
 */
final class AdapterInbox {

	/** Maximum number of unacknowledged messages (MQTT 5 section 4.9). */
	static final int RECEIVE_MAXIMUM = 1024;

	/** Maximum number of messages of QoS 0 that wait for delivery. */
	static final int MAX_UNCONFIRMED = 10_000;

	private static final Logger logger = LoggerFactory.getLogger(AdapterInbox.class);

	private final AdapterSubscriptions subscriptions;

	private final Executor executor;

	private final BooleanSupplier manualAcks;

	/** Number of the latest message. */
	private long latest;

	/** Latest message of an earlier connection, when a session was last resumed. */
	private long resumed;

	/** Latest message when all were dropped. */
	private long cleared;

	/** Number of waiting messages of QoS 0. */
	private int unconfirmed;

	/** Whether messages of QoS 0 are dropped. */
	private boolean dropping;

	/**
	 * @param executor runs the listeners, in the order of calls, on a single thread
	 * @param manualAcks returns whether the application acknowledges messages itself
	 */
	AdapterInbox(AdapterSubscriptions subscriptions, Executor executor, BooleanSupplier manualAcks) {
		this.subscriptions = subscriptions;
		this.executor = executor;
		this.manualAcks = manualAcks;
	}

	/** Accepts a message. Never blocks. */
	void arrived(AdapterSession session, String topic, MqttMessage message) {
		Delivery delivery = accept(session, topic, message);
		if (delivery == null) {
			return;
		}
		try {
			this.executor.execute(() -> deliver(delivery));
		}
		catch (RuntimeException | Error ex) {
			// For example because no thread could be started.
			begin(delivery);
			session.abort("a message could not be handed to its flow", ex);
		}
	}

	private synchronized @Nullable Delivery accept(AdapterSession session, String topic, MqttMessage message) {
		boolean confirmed = message.getQos() > 0;
		if (!confirmed && !admit(topic)) {
			return null;
		}
		this.latest++;
		if (confirmed) {
			// Unlike packet ids, the next connection does not use these ids again.
			int id = (int) (this.latest & Integer.MAX_VALUE);
			session.acknowledgments().arrived(id, message.getId());
			message.setId(id);
		}
		return new Delivery(this.latest, session, topic, message);
	}

	/** Counts a message of QoS 0, and returns whether there is room for it. */
	private boolean admit(String topic) {
		boolean full = this.unconfirmed >= MAX_UNCONFIRMED;
		if (full && !this.dropping) {
			logger.warn("{} messages with QoS 0 are waiting for a flow, the next of them on '{}'. Dropping additional "
					+ "messages until the flow has caught up. Subscribe with QoS 1 to slow down the broker instead",
					MAX_UNCONFIRMED, topic);
		}
		this.dropping = full;
		this.unconfirmed += full ? 0 : 1;
		return !full;
	}

	/**
	 * Drops waiting messages, because the broker delivers them again on the resumed
	 * session.
	 */
	synchronized void resumed() {
		this.resumed = this.latest;
	}

	/** Drops all waiting messages. */
	synchronized void clear() {
		this.resumed = this.latest;
		this.cleared = this.latest;
	}

	/** Ends the wait of a message, and returns whether it is still to be delivered. */
	private synchronized boolean begin(Delivery delivery) {
		if (delivery.isConfirmed()) {
			return delivery.number > this.resumed;
		}
		this.unconfirmed--;
		return delivery.number > this.cleared;
	}

	private void deliver(Delivery delivery) {
		if (!begin(delivery)) {
			return;
		}
		try {
			callListeners(delivery);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Failed to deliver a message on '{}'. If its QoS is 1 or 2, the broker sends it again after a "
					+ "reconnect", delivery.topic, ex);
			if (delivery.isConfirmed()) {
				delivery.session.abort("a message could not be delivered", ex);
			}
		}
	}

	private void callListeners(Delivery delivery) {
		MqttMessage message = delivery.message;
		AdapterAcknowledgments acknowledgments = delivery.session.acknowledgments();
		List<IMqttMessageListener> matching = this.subscriptions.listeners(delivery.topic, message);
		List<IMqttMessageListener> listeners = matching.stream()
			.filter((listener) -> listener != AdapterSubscriptions.SUSPENDED)
			.toList();
		boolean acknowledgedByUser = this.manualAcks.getAsBoolean() && !listeners.isEmpty();
		if (acknowledgedByUser) {
			acknowledgments.require(message.getId(), listeners.size());
		}
		listeners.forEach((listener) -> call(listener, delivery.topic, message));
		if (matching.isEmpty()) {
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

	private record Delivery(long number, AdapterSession session, String topic, MqttMessage message) {

		boolean isConfirmed() {
			return this.message.getQos() > 0;
		}

	}

}
