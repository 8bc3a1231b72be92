package io.statestore.client.mqtt;

import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreException;
import io.statestore.client.observation.NotificationSource;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifications of the state store over MQTT 5 (protocol section 6): one subscription for
 * all keys, made when the first key is observed and on every connection after. There is a
 * connection for observations only while the broker has granted it, so that nothing is
 * observed before its notifications can arrive. A broker that refuses it leaves reads and
 * writes alone; observers are told.
 */
public final class MqttNotificationSource implements NotificationSource {

	private static final Logger logger = LoggerFactory.getLogger(MqttNotificationSource.class);

	private final ConnectionListener listener = new ConnectionListener() {

		@Override
		public void disconnected(String cause) {
			tell(Handler::disconnected);
		}

	};

	private final StateStoreConnection connection;

	/** {@code null} unless this is open. */
	private volatile @Nullable Handler handler;

	public MqttNotificationSource(StateStoreConnection connection) {
		this.connection = connection;
	}

	@Override
	public boolean isObservable(Bytes key) {
		return Topics.isObservable(this.connection.getClientId(), key);
	}

	@Override
	public boolean isConnected() {
		return this.connection.isConnected();
	}

	@Override
	public void open(Handler handler) {
		this.handler = handler;
		this.connection.use(false);
		this.connection.addListener(this.listener);
		this.connection.addSubscription(Topics.notificationFilter(this.connection.getClientId()), false,
				new SubscriptionListener() {

					@Override
					public void messageArrived(String topic, MqttMessage message) {
						tell((handler) -> MqttNotificationSource.this.messageArrived(topic, message, handler));
					}

					@Override
					public void granted() {
						tell(Handler::connected);
					}

					@Override
					public void refused(StateStoreException reason) {
						StateStoreException failure = new StateStoreException("Keys cannot be observed: "
								+ reason.getMessage() + "; reads and writes go on, and the next connection asks again",
								reason);
						logger.warn(failure.getMessage());
						tell((handler) -> handler.refused(failure));
					}

				});
	}

	/** The subscription stays with the connection; what arrives is ignored. */
	@Override
	public void close() {
		this.handler = null;
		this.connection.removeListener(this.listener);
	}

	private void tell(Consumer<Handler> event) {
		Handler handler = this.handler;
		if (handler != null) {
			event.accept(handler);
		}
	}

	private void messageArrived(String topic, MqttMessage message, Handler handler) {
		Bytes key = Topics.notifiedKey(this.connection.getClientId(), topic);
		if (key == null || key.isEmpty()) {
			logger.warn("Ignored a notification on topic {}, which names no key", topic);
			return;
		}
		KeyChange<Bytes> change = null;
		try {
			change = read(Key.of(key), message);
		}
		catch (ProtocolException ex) {
			logger.debug("A notification could not be read", ex);
		}
		if (change != null) {
			handler.changed(change);
		}
		else {
			logger.warn("A notification of key {} is not one of the state store protocol; reading the key instead",
					Key.of(key));
			handler.unreadable(key);
		}
	}

	private static @Nullable KeyChange<Bytes> read(Key key, MqttMessage message) {
		String version = ReplyReader.find(message.getProperties().getUserProperties(), UserProperties.TIMESTAMP);
		if (version == null) {
			return null;
		}
		Notification notification = Notifications.decode(Bytes.wrap(message.getPayload()));
		return (notification instanceof Notification.Set set)
				? new KeyChange<>(key, Operation.SET, set.value(), Version.parse(version), false)
				: new KeyChange<>(key, Operation.DELETE, null, Version.parse(version), false);
	}

}
