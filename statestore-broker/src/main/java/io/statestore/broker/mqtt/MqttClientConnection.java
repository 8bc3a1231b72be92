package io.statestore.broker.mqtt;

import java.net.InetAddress;

import io.statestore.broker.engine.Requester;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.time.Activity;
import org.jspecify.annotations.Nullable;

/**
 * Connection of an MQTT client, as the state store uses it. Executes each call on the
 * event loop of the connection. Thread-safe.
 */
final class MqttClientConnection implements ClientConnection {

	private final TopicAccess access;

	private final Requester requester;

	private final @Nullable InetAddress address;

	private final ClientSession session;

	private final Activity undelivered;

	MqttClientConnection(TopicAccess access, ClientSession session, Activity undelivered) {
		this.access = access;
		this.requester = ClientConnection.super.requester();
		this.address = session.link().address();
		this.session = session;
		this.undelivered = undelivered;
	}

	@Override
	public String clientId() {
		return this.access.client().clientId();
	}

	@Override
	public ClientPrincipal principal() {
		return this.access.client().principal();
	}

	@Override
	public Requester requester() {
		return this.requester;
	}

	@Override
	public Permissions permissions() {
		return this.access.permissions();
	}

	@Override
	public @Nullable InetAddress address() {
		return this.address;
	}

	@Override
	public ClientShare memory() {
		return this.session.link().memory();
	}

	@Override
	public void send(OutgoingMessage message) {
		this.undelivered.add(1);
		this.session.link().tasks().execute(() -> this.session.send(message));
	}

	/** Discards notifications that wait for acknowledgments of the client. */
	@Override
	public void observationEnded(Bytes key) {
		this.session.link()
			.tasks()
			.execute(() -> this.undelivered
				.add(-this.session.flow().discardNotifications(Topics.notification(clientId(), key))));
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		this.session.link().disconnectLater(reasonCode, reason);
	}

	@Override
	public void abort() {
		this.session.link().abort();
	}

	@Override
	public String toString() {
		return clientId();
	}

}
