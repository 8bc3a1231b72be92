package io.statestore.client.mqtt.integration;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.statestore.client.ClientResources;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.ConnectionSupervisor;
import io.statestore.client.mqtt.internal.InFlight;
import io.statestore.protocol.InvalidOptionException;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.integration.mqtt.core.AbstractMqttClientManager;
import org.springframework.integration.mqtt.inbound.AbstractMqttMessageDrivenChannelAdapter;

/**
 * A {@link org.springframework.integration.mqtt.core.ClientManager} for the MQTT adapters
 * of an application, with a separate connection to the broker of the state store.
 * <p>
 * It connects when the first adapter starts, in the background, and keeps connecting
 * until {@link #stop()}, with growing delays. An application without adapters has no such
 * connection.
 * <p>
 * A message of QoS 1 is acknowledged when its flow has returned or, with
 * {@link #setManualAcks manual acknowledgment}, when the flow acknowledges it.
 * Acknowledgments are sent in the order of arrival. A slow flow slows down the broker: at
 * most {@value AdapterInbox#RECEIVE_MAXIMUM} messages are unacknowledged. All adapters
 * share one thread, so a flow that blocks delays other flows. It does not affect calls to
 * the state store.
 * <p>
 * The MQTT session begins with the first connection, survives lost connections for the
 * session expiry, and ends with {@link #stop()}. The broker delivers messages again that
 * were unacknowledged when a connection broke. Publishes of adapters are sent again, too:
 * one that fails because the connection broke may still reach the broker. {@link #stop()}
 * waits for publishes in flight, up to the completion timeout.
 * <p>
 * An adapter that stops hands the messages that have arrived to its flow, for up to two
 * seconds. Publishes in flight have at most
 * {@linkplain ConnectionOptions#maxPendingSize() the size of pending calls}.
 * <p>
 * Subscriptions have QoS 1 at most. Publishes have any QoS.
 * <p>
 * Thread-safe. All threads are daemons.
 */
public final class StateStoreClientManager extends AbstractMqttClientManager<IMqttAsyncClient, MqttConnectionOptions> {

	/** Default session expiry. */
	public static final Duration DEFAULT_SESSION_EXPIRY = Duration.ofHours(1);

	private static final Duration MAX_SESSION_EXPIRY = Duration.ofSeconds(0xFFFF_FFFEL);

	private static final Logger log = LoggerFactory.getLogger(StateStoreClientManager.class);

	private final ConnectionOptions options;

	private final AdapterSubscriptions subscriptions;

	private final AdapterInbox inbox;

	private final AdapterConnection connection;

	private final AdapterClient client;

	/** Runs connect callbacks and listeners of outcomes. */
	private final ExecutorService events;

	private volatile boolean running;

	/** Whether an adapter has requested the client. */
	private boolean used;

	private @Nullable ConnectionSupervisor supervisor;

	/** The supervisor that was stopped last, which might not have ended yet. */
	private @Nullable ConnectionSupervisor stopped;

	/**
	 * Creates a client manager with the default session expiry.
	 * @param options address of the broker and client id. The client id must differ from
	 * that of {@link StateStoreConnection}; see {@link ConnectionOptions#withClientId}
	 */
	public StateStoreClientManager(ConnectionOptions options) {
		this(options, DEFAULT_SESSION_EXPIRY);
	}

	/**
	 * Creates a client manager.
	 * @param options address of the broker and client id. The client id must differ from
	 * that of {@link StateStoreConnection}; see {@link ConnectionOptions#withClientId}
	 * @param sessionExpiry time for which the broker keeps the messages for the adapters
	 * without a connection, at least one second
	 * @throws InvalidOptionException if the session expiry is out of its range
	 */
	public StateStoreClientManager(ConnectionOptions options, Duration sessionExpiry) {
		super(options.clientId());
		if (sessionExpiry.compareTo(Duration.ofSeconds(1)) < 0 || sessionExpiry.compareTo(MAX_SESSION_EXPIRY) > 0) {
			throw new InvalidOptionException("sessionExpiry", sessionExpiry,
					"must be " + Duration.ofSeconds(1) + " to " + MAX_SESSION_EXPIRY);
		}
		this.options = options;
		setUrl(options.url());
		this.events = thread("statestore-adapter-events");
		this.subscriptions = new AdapterSubscriptions(this::unmatched);
		ExecutorService deliveries = thread("statestore-adapter");
		this.inbox = new AdapterInbox(this.subscriptions, deliveries, this::isManualAcks);
		InFlight inFlight = new InFlight(options.maxPendingSize());
		this.connection = new AdapterConnection(this.inbox, inFlight, sessionExpiry, this::suspendStopped,
				this::connected, this.subscriptions::clear);
		try {
			this.client = new AdapterClient(options, this.connection, inFlight, this.subscriptions, deliveries,
					this.events);
		}
		catch (MqttException ex) {
			throw new IllegalStateException("Failed to create the client of the adapters", ex);
		}
	}

	private ExecutorService thread(String name) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				ClientResources.daemonThreads(name + '-' + this.options.clientId()));
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * Returns the client of the adapters, which is the same for all connections. The
	 * first call starts to connect, once this manager is started.
	 */
	@Override
	public synchronized IMqttAsyncClient getClient() {
		this.used = true;
		connectIfUsed();
		return this.client;
	}

	/** Describes the connection to the adapters. Changes to it have no effect. */
	@Override
	public MqttConnectionOptions getConnectionInfo() {
		MqttConnectionOptions info = new MqttConnectionOptions();
		String scheme = (this.options.tls() != null) ? "ssl://" : "tcp://";
		info.setServerURIs(this.options.hosts().stream().map((host) -> scheme + host).toArray(String[]::new));
		// Makes adapters unsubscribe when they stop.
		info.setCleanStart(true);
		info.setAutomaticReconnect(true);
		info.setKeepAliveInterval((int) this.options.keepAlive().toSeconds());
		return info;
	}

	@Override
	public synchronized void start() {
		this.running = true;
		connectIfUsed();
	}

	private void connectIfUsed() {
		if (this.running && this.used && this.supervisor == null) {
			ConnectionSupervisor supervisor = new ConnectionSupervisor(this.options, this.connection, System::nanoTime,
					this.stopped);
			// Fails if no thread can be created. The next call tries again.
			supervisor.start();
			this.stopped = null;
			this.supervisor = supervisor;
		}
	}

	@Override
	public void stop() {
		ConnectionSupervisor supervisor;
		synchronized (this) {
			this.running = false;
			supervisor = this.supervisor;
			this.supervisor = null;
			this.stopped = (supervisor != null) ? supervisor : this.stopped;
		}
		if (supervisor != null) {
			this.client.awaitPublishes(getCompletionTimeout());
			this.inbox.clear();
			supervisor.stop();
		}
	}

	/**
	 * Replaces the connection, for example after certificates have changed. The session
	 * continues, so no message is lost. Has no effect without a connection.
	 * @param reason the reason, for the log
	 */
	public synchronized void reconnect(String reason) {
		if (this.supervisor != null) {
			this.supervisor.reconnect(reason);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isConnected() {
		return this.client.isConnected();
	}

	AdapterConnection connection() {
		return this.connection;
	}

	// Adapters that are destroyed without a connection do not unsubscribe either.
	@Override
	public boolean removeCallback(ConnectCallback callback) {
		if (!isConnected()) {
			suspendStopped();
		}
		return super.removeCallback(callback);
	}

	private void connected(boolean reconnect) {
		this.events.execute(() -> {
			for (ConnectCallback callback : getCallbacks().toArray(new ConnectCallback[0])) {
				try {
					callback.connectComplete(reconnect);
				}
				catch (RuntimeException | Error ex) {
					log.error("A connect callback failed; continuing with the next callback", ex);
				}
			}
			this.client.unsubscribeSuspended();
		});
	}

	/**
	 * Suspends the subscriptions of adapters that have stopped. Without a connection,
	 * they do not unsubscribe.
	 */
	private void suspendStopped() {
		this.subscriptions.suspend(this::topicsOfStopped);
	}

	private Set<String> topicsOfStopped() {
		Set<String> stopped = new HashSet<>();
		Set<String> active = new HashSet<>();
		for (ConnectCallback callback : getCallbacks().toArray(new ConnectCallback[0])) {
			if (callback instanceof AbstractMqttMessageDrivenChannelAdapter<?, ?> adapter) {
				(adapter.isActive() ? active : stopped).addAll(List.of(adapter.getTopic()));
			}
		}
		stopped.removeAll(active);
		return stopped;
	}

	private void unmatched(String topic, MqttMessage message) {
		this.<MqttMessage>getDefaultMessageHandlers().forEach((handler) -> handler.messageArrived(topic, message));
	}

}
