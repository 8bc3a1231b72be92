package io.statestore.client.mqtt;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;

import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.mqtt.core.ClientManager.DefaultMessageHandler;

/**
 * Who gets which message among the users of the shared client. Each listener has its own
 * mailbox, so it may block or throw without any effect on the connection or on others.
 * Messages are routed by topic, and as with Paho the last listener of a filter wins.
 */
final class UserSubscriptions {

	private static final Logger logger = LoggerFactory.getLogger(UserSubscriptions.class);

	/** How many messages wait for one listener. */
	static final int MAILBOX_CAPACITY = 10_000;

	private final Map<TopicFilter, Listener> listeners = new ConcurrentHashMap<>();

	/** Stay while a filter is subscribed again on a new connection. */
	private final Map<TopicFilter, Mailbox> mailboxes = new ConcurrentHashMap<>();

	private final Set<DefaultMessageHandler<MqttMessage>> defaultHandlers = new CopyOnWriteArraySet<>();

	private final Executor executor;

	private final Mailbox defaultMailbox;

	UserSubscriptions(Executor executor) {
		this.executor = executor;
		this.defaultMailbox = new Mailbox("The handler of messages without listener", executor, MAILBOX_CAPACITY);
	}

	void put(String filter, @Nullable IMqttMessageListener listener) {
		TopicFilter key = new TopicFilter(filter);
		if (listener == null) {
			remove(filter);
			return;
		}
		Mailbox mailbox = mailbox(key, listener);
		this.mailboxes.put(key, mailbox);
		this.listeners.put(key, new Listener(listener, mailbox));
	}

	/** One for a listener of several filters, for the sake of the order. */
	private Mailbox mailbox(TopicFilter filter, IMqttMessageListener listener) {
		for (Listener known : this.listeners.values()) {
			if (known.target() == listener) {
				return known.mailbox();
			}
		}
		Mailbox mailbox = this.mailboxes.get(filter);
		return (mailbox != null) ? mailbox
				: new Mailbox("The listener of '" + filter + "'", this.executor, MAILBOX_CAPACITY);
	}

	void remove(String filter) {
		TopicFilter key = new TopicFilter(filter);
		this.listeners.remove(key);
		this.mailboxes.remove(key);
	}

	/** The broker has forgotten all subscriptions. */
	void clear() {
		this.listeners.clear();
	}

	Set<DefaultMessageHandler<MqttMessage>> defaultHandlers() {
		return this.defaultHandlers;
	}

	void dispatch(String topic, MqttMessage message) {
		boolean matched = false;
		for (Map.Entry<TopicFilter, Listener> entry : this.listeners.entrySet()) {
			if (entry.getKey().matches(topic)) {
				matched = true;
				Listener listener = entry.getValue();
				listener.mailbox().offer(() -> call(listener.target(), topic, message));
			}
		}
		if (!matched && !this.defaultHandlers.isEmpty()) {
			this.defaultMailbox
				.offer(() -> this.defaultHandlers.forEach((handler) -> handler.messageArrived(topic, message)));
		}
	}

	private static void call(IMqttMessageListener listener, String topic, MqttMessage message) {
		try {
			listener.messageArrived(topic, message);
		}
		catch (Exception ex) {
			logger.error("A listener failed on a message of topic {}", topic, ex);
		}
	}

	private record Listener(IMqttMessageListener target, Mailbox mailbox) {
	}

}
