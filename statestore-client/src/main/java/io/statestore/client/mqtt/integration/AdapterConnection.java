package io.statestore.client.mqtt.integration;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.statestore.client.mqtt.internal.ConnectionSupervisor;
import io.statestore.client.mqtt.internal.InFlight;
import io.statestore.client.mqtt.internal.Link;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;

/**
 * The connection of the adapters, which a {@link ConnectionSupervisor} keeps established.
 * The first connection begins a new MQTT session, and later ones resume it.
 */
final class AdapterConnection implements ConnectionSupervisor.Events {

	private final Duration sessionExpiry;

	private final Runnable suspendStopped;

	private final Consumer<Boolean> onConnected;

	private final Runnable onEnded;

	private final AdapterInbox inbox;

	private final InFlight inFlight;

	/** Whether the broker has the session. */
	private volatile boolean established;

	/** Part of the session that belongs to the latest attempt to connect. */
	private volatile @Nullable AdapterSession session;

	/** The link in use. Completed while there is a connection. */
	private volatile CompletableFuture<@Nullable Link> link = new CompletableFuture<>();

	/**
	 * @param suspendStopped suspends subscriptions of adapters that have stopped without
	 * a connection
	 * @param onConnected called after each connect with {@code true} if there was a
	 * connection before; must not block
	 * @param onEnded called when the session has ended, before another one begins
	 */
	AdapterConnection(AdapterInbox inbox, InFlight inFlight, Duration sessionExpiry, Runnable suspendStopped,
			Consumer<Boolean> onConnected, Runnable onEnded) {
		this.inbox = inbox;
		this.inFlight = inFlight;
		this.sessionExpiry = sessionExpiry;
		this.suspendStopped = suspendStopped;
		this.onConnected = onConnected;
		this.onEnded = onEnded;
	}

	/** Returns the link in use, or {@code null} without a connection. */
	@Nullable Link link() {
		return this.link.getNow(null);
	}

	/** Waits for the connection, and returns whether there is one. */
	boolean await(Duration timeout) throws MqttException {
		try {
			return this.link.get(timeout.toNanos(), TimeUnit.NANOSECONDS) != null;
		}
		catch (ExecutionException | TimeoutException ex) {
			return link() != null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new MqttException(ex);
		}
	}

	/** Completes a message, unless its connection has ended. */
	void acknowledge(int messageId) {
		AdapterSession session = this.session;
		if (session != null) {
			session.acknowledgments().complete(messageId);
		}
	}

	@Override
	public Link open(Link.Attempt attempt) {
		this.suspendStopped.run();
		AdapterSession session = new AdapterSession(this.inbox, !this.established, this.sessionExpiry);
		this.session = session;
		return new Link(attempt, session, this.inFlight);
	}

	@Override
	public CompletableFuture<Void> prepare(Link link) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void connected(Link link, boolean reconnect) {
		// Adapters that stop later unsubscribe.
		this.suspendStopped.run();
		this.established = true;
		this.link.complete(link);
		this.onConnected.accept(reconnect);
	}

	@Override
	public void disconnected(String cause) {
		Link ended = link();
		this.link = new CompletableFuture<>();
		AdapterSession session = this.session;
		if (session != null) {
			session.acknowledgments().close();
		}
		if (ended != null) {
			this.inFlight.disconnected(ended, new IllegalStateException(cause));
		}
	}

	/** Ends the session: the next connection begins a new one. */
	@Override
	public void ended() {
		this.established = false;
		this.session = null;
		this.inFlight.clear();
		this.onEnded.run();
	}

}
