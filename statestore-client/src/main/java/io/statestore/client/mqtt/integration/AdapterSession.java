package io.statestore.client.mqtt.integration;

import java.time.Duration;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.mqtt.internal.Link;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.Publish;
import org.jspecify.annotations.Nullable;

/**
 * Part of the adapters' MQTT session that belongs to one connection: its messages and
 * their acknowledgments.
 */
final class AdapterSession implements Link.Session {

	private final AdapterInbox inbox;

	private final boolean isNew;

	private final Duration expiry;

	private final AdapterAcknowledgments acknowledgments = new AdapterAcknowledgments(this::acknowledge);

	private volatile @Nullable Link link;

	AdapterSession(AdapterInbox inbox, boolean isNew, Duration expiry) {
		this.inbox = inbox;
		this.isNew = isNew;
		this.expiry = expiry;
	}

	AdapterAcknowledgments acknowledgments() {
		return this.acknowledgments;
	}

	@Override
	public boolean isNew() {
		return this.isNew;
	}

	@Override
	public void configure(MqttProperties properties) {
		properties.add(ClientPackets.property(MqttProperties.SESSION_EXPIRY_INTERVAL, (int) this.expiry.toSeconds()));
		properties.add(ClientPackets.property(MqttProperties.RECEIVE_MAXIMUM, AdapterInbox.RECEIVE_MAXIMUM));
	}

	@Override
	public void accepted(Link link, Accepted accepted) {
		this.link = link;
		if (accepted.sessionPresent()) {
			this.inbox.resumed();
		}
	}

	/** Passes a message on. The inbox acknowledges it when its flow is done. */
	@Override
	public boolean published(Publish publish) {
		this.inbox.arrived(this, publish.topic(), AdapterMessages.toPaho(publish));
		return false;
	}

	/** Ends the connection, so that the broker sends unacknowledged messages again. */
	void abort(String problem, Throwable failure) {
		Link link = this.link;
		if (link != null) {
			link.abort(problem, failure);
		}
	}

	/**
	 * Sends PUBACK. If the connection has ended, the broker delivers the message again.
	 */
	private void acknowledge(int packetId) {
		Link link = this.link;
		if (link != null) {
			link.acknowledge(packetId);
		}
	}

}
