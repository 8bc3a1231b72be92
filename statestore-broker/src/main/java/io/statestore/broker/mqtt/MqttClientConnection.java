package io.statestore.broker.mqtt;

import java.net.InetAddress;

import io.statestore.broker.engine.Requester;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.security.Client;
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

	private final Client client;

	private final Requester requester;

	private final Permissions permissions;

	private final @Nullable InetAddress address;

	private final ClientSession session;

	private final LoopTasks tasks;

	private final ClientShare memory;

	private final Activity undelivered;

	MqttClientConnection(Client client, Permissions permissions, @Nullable InetAddress address, ClientSession session,
			LoopTasks tasks, ClientShare memory, Activity undelivered) {
		this.client = client;
		this.requester = ClientConnection.super.requester();
		this.permissions = permissions;
		this.address = address;
		this.session = session;
		this.tasks = tasks;
		this.memory = memory;
		this.undelivered = undelivered;
	}

	@Override
	public String clientId() {
		return this.client.clientId();
	}

	@Override
	public ClientPrincipal principal() {
		return this.client.principal();
	}

	@Override
	public Requester requester() {
		return this.requester;
	}

	@Override
	public Permissions permissions() {
		return this.permissions;
	}

	@Override
	public @Nullable InetAddress address() {
		return this.address;
	}

	@Override
	public ClientShare memory() {
		return this.memory;
	}

	@Override
	public void send(OutgoingMessage message) {
		this.undelivered.add(1);
		this.tasks.execute(() -> this.session.send(message));
	}

	/** Discards notifications that wait for acknowledgments of the client. */
	@Override
	public void observationEnded(Bytes key) {
		this.tasks.execute(() -> this.undelivered
			.add(-this.session.flow().discardNotifications(Topics.notification(clientId(), key))));
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		this.session.disconnectLater(reasonCode, reason);
	}

	@Override
	public void abort() {
		this.session.abort();
	}

	@Override
	public String toString() {
		return clientId();
	}

}
