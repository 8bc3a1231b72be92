package io.statestore.client.watch;

import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.ConnectionAccess;
import io.statestore.client.mqtt.internal.LinkMessage;
import io.statestore.client.mqtt.internal.LinkMessage.UserProperty;
import io.statestore.client.mqtt.internal.MqttConnection;
import io.statestore.client.mqtt.internal.MqttConnection.SubscriptionListener;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Topics;
import io.statestore.protocol.TraceContext;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the state store's notifications over MQTT 5 (protocol section 6). A single
 * subscription covers all keys. It is requested when the first key is watched, and again
 * on every new connection.
 * <p>
 * A connection is reported to the handler only once the broker has granted the
 * subscription, so a key is not watched before its notifications can arrive. If the
 * broker refuses the subscription, the handler is notified; reads and writes still work.
 * Thread-safe.
 */
final class MqttNotificationSource implements NotificationSource, ConnectionListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(MqttNotificationSource.class);

	private final MqttConnection connection;

	/** Receives the notifications, {@code null} unless this source is open. */
	private volatile @Nullable Handler handler;

	/**
	 * Creates a source, which is not open.
	 * @param connection connection over which notifications arrive
	 */
	MqttNotificationSource(StateStoreConnection connection) {
		this.connection = ConnectionAccess.of(connection);
	}

	@Override
	public boolean isWatchable(Bytes key) {
		return Topics.isWatchable(this.connection.getClientId(), key);
	}

	@Override
	public boolean isConnected() {
		return this.connection.isConnected();
	}

	@Override
	public void open(Handler handler) {
		this.handler = handler;
		this.connection.use(false);
		this.connection.addListener(this);
		this.connection.addSubscription(Topics.notificationFilter(this.connection.getClientId()), false, this);
	}

	/** Closes this source. The subscription remains; its notifications are ignored. */
	@Override
	public void close() {
		this.handler = null;
		this.connection.removeListener(this);
	}

	@Override
	public void disconnected(String cause) {
		notifyHandler(Handler::disconnected);
	}

	@Override
	public void granted() {
		notifyHandler(Handler::connected);
	}

	@Override
	public void refused(StateStoreException reason) {
		StateStoreException failure = new StateStoreException("Keys cannot be watched: " + reason.getMessage()
				+ ". Reads and writes continue, and the next connection requests it again", reason);
		logger.warn(failure.getMessage());
		notifyHandler((handler) -> handler.refused(failure));
	}

	@Override
	public void messageArrived(LinkMessage message) {
		notifyHandler((handler) -> messageArrived(message, handler));
	}

	private void notifyHandler(Consumer<Handler> event) {
		Handler handler = this.handler;
		if (handler != null) {
			event.accept(handler);
		}
	}

	private void messageArrived(LinkMessage message, Handler handler) {
		Bytes key = Topics.notifiedKey(this.connection.getClientId(), message.topic());
		if (key == null || key.isEmpty()) {
			logger.warn("Ignored a notification on topic {}, which names no key", message.topic());
			return;
		}
		KeyChange<Bytes> change = null;
		try {
			change = decode(Key.of(key), message);
		}
		catch (ProtocolException ex) {
			logger.debug("Failed to decode a notification", ex);
		}
		if (change != null) {
			handler.changed(change);
		}
		else {
			logger.warn("A notification of key {} violates the state store protocol; reading the key instead",
					Key.of(key));
			handler.unreadable(key);
		}
	}

	private static @Nullable KeyChange<Bytes> decode(Key key, LinkMessage message) {
		String version = message.userProperty(UserProperties.TIMESTAMP);
		if (version == null) {
			return null;
		}
		TraceContext trace = TraceContext.of(message.userProperties(), UserProperty::name, UserProperty::value);
		Notification notification = Notifications.decode(Bytes.wrap(message.payload()));
		return (notification instanceof Notification.Set set)
				? new KeyChange<>(key, Operation.SET, set.value(), Version.parse(version), false, trace)
				: new KeyChange<>(key, Operation.DELETE, null, Version.parse(version), false, trace);
	}

}
