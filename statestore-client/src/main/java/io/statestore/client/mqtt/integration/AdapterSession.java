package io.statestore.client.mqtt.integration;

import java.time.Duration;

import io.statestore.client.mqtt.internal.Link;
import io.statestore.client.mqtt.internal.PahoLink;
import io.statestore.client.mqtt.internal.PahoLink.PahoSession;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttClientPersistence;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Part of the adapters' MQTT session that belongs to one connection: its messages and
 * their acknowledgments.
 */
final class AdapterSession implements PahoSession {

	private static final Logger logger = LoggerFactory.getLogger(AdapterSession.class);

	private final AdapterInbox inbox;

	private final MqttClientPersistence persistence;

	private final boolean cleanStart;

	private final Duration expiry;

	private final AdapterAcknowledgments acknowledgments = new AdapterAcknowledgments(this::acknowledge);

	private volatile @Nullable PahoLink link;

	private volatile boolean subscriptionIdentifiers;

	AdapterSession(AdapterInbox inbox, MqttClientPersistence persistence, boolean cleanStart, Duration expiry) {
		this.inbox = inbox;
		this.persistence = persistence;
		this.cleanStart = cleanStart;
		this.expiry = expiry;
	}

	AdapterAcknowledgments acknowledgments() {
		return this.acknowledgments;
	}

	/** Returns whether the broker supports subscription identifiers. */
	boolean hasSubscriptionIdentifiers() {
		return this.subscriptionIdentifiers;
	}

	@Override
	public MqttClientPersistence persistence() {
		return this.persistence;
	}

	@Override
	public void configure(MqttConnectionOptions options) {
		options.setCleanStart(this.cleanStart);
		options.setSessionExpiryInterval(this.expiry.toSeconds());
		options.setReceiveMaximum(AdapterInbox.RECEIVE_MAXIMUM);
	}

	@Override
	public void opening(Link link, IMqttAsyncClient client) {
		this.link = (PahoLink) link;
		client.setManualAcks(true);
	}

	@Override
	public void accepted(IMqttToken token) {
		MqttProperties properties = token.getResponseProperties();
		this.subscriptionIdentifiers = properties == null || properties.isSubscriptionIdentifiersAvailable();
		if (token.getSessionPresent()) {
			this.inbox.resumed();
		}
	}

	@Override
	public void messageArrived(String topic, MqttMessage message) {
		this.inbox.arrived(this, topic, message);
	}

	/** Ends the connection, so that the broker sends unacknowledged messages again. */
	void abort(String cause) {
		PahoLink link = this.link;
		if (link != null) {
			link.abort(cause);
		}
	}

	private void acknowledge(int packetId) {
		PahoLink link = this.link;
		try {
			if (link != null) {
				link.client().messageArrivedComplete(packetId, 1);
			}
		}
		catch (MqttException | RuntimeException ex) {
			// The connection ended; the broker delivers the message again.
			logger.debug("Message {} was not acknowledged", packetId, ex);
		}
	}

}
