package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.statestore.client.ClientResources;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.mqtt.core.AbstractMqttClientManager;

/**
 * A {@link org.springframework.integration.mqtt.core.ClientManager} for the MQTT adapters
 * of an application: a connection of their own to the broker of the state store.
 * <p>
 * It connects when the first adapter starts, in the background, and keeps connecting
 * until {@link #stop()}, with growing delays. An application without adapters has no such
 * connection.
 * <p>
 * A message of QoS 1 is acknowledged when its flow has returned or, with
 * {@link #setManualAcks manual acknowledgment}, when the flow acknowledges it.
 * Acknowledgments leave in the order in which the messages arrived. A flow that is slow
 * slows down the broker: at most {@value AdapterInbox#RECEIVE_MAXIMUM} messages are
 * unacknowledged. All adapters share one thread, so a flow that blocks holds up other
 * flows. It does not affect calls to the state store.
 * <p>
 * The MQTT session begins with the first connection, survives lost connections for the
 * session expiry, and ends with {@link #stop()}. Messages that were not acknowledged when
 * a connection broke are delivered again by the next one. So are publishes of adapters: a
 * publish that fails because the connection broke may reach the broker all the same.
 * <p>
 * Subscriptions have QoS 1 at most, because Paho acknowledges a message of QoS 2 before
 * it is handled. Publishes have any QoS.
 * <p>
 * Safe for use by several threads. All threads are daemons.
 */
public final class StateStoreClientManager extends AbstractMqttClientManager<IMqttAsyncClient, MqttConnectionOptions> {

	/** Session expiry by default. */
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

	/** Whether an adapter has asked for the client. */
	private boolean used;

	private @Nullable ConnectionSupervisor supervisor;

	/** The one before, which may still be about to end. */
	private @Nullable ConnectionSupervisor stopped;

	/**
	 * Creates a client manager with the default session expiry.
	 * @param options the broker and the client id. The latter must differ from that of
	 * {@link StateStoreConnection}; see {@link ConnectionOptions#withClientId}
	 */
	public StateStoreClientManager(ConnectionOptions options) {
		this(options, DEFAULT_SESSION_EXPIRY);
	}

	/**
	 * Creates a client manager.
	 * @param options the broker and the client id. The latter must differ from that of
	 * {@link StateStoreConnection}; see {@link ConnectionOptions#withClientId}
	 * @param sessionExpiry how long the broker keeps the messages for the adapters while
	 * there is no connection, at least one second
	 */
	public StateStoreClientManager(ConnectionOptions options, Duration sessionExpiry) {
		super(options.clientId());
		if (sessionExpiry.compareTo(Duration.ofSeconds(1)) < 0 || sessionExpiry.compareTo(MAX_SESSION_EXPIRY) > 0) {
			throw new IllegalArgumentException("'sessionExpiry' must be " + Duration.ofSeconds(1) + " to "
					+ MAX_SESSION_EXPIRY + ", but is " + sessionExpiry);
		}
		this.options = options;
		setUrl(options.url());
		this.events = thread("statestore-adapter-events");
		this.subscriptions = new AdapterSubscriptions(this::unmatched);
		this.inbox = new AdapterInbox(this.subscriptions, thread("statestore-adapter"), this::isManualAcks);
		this.connection = new AdapterConnection(this.inbox, sessionExpiry, this::connected, this.subscriptions::clear);
		try {
			this.client = new AdapterClient(options, this.connection, this.subscriptions, this.events);
		}
		catch (MqttException ex) {
			throw new IllegalStateException("Could not create the client of the adapters", ex);
		}
	}

	private ExecutorService thread(String name) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				ClientResources.daemonThreads(name + '-' + this.options.clientId()));
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * Returns the client of the adapters, the same for all connections. The first call
	 * begins to connect, as soon as this manager is started.
	 */
	@Override
	public IMqttAsyncClient getClient() {
		this.lock.lock();
		try {
			this.used = true;
			connectIfUsed();
			return this.client;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Describes the connection to the adapters. Changes to it have no effect. */
	@Override
	public MqttConnectionOptions getConnectionInfo() {
		MqttConnectionOptions info = new MqttConnectionOptions();
		info.setServerURIs(new String[] { ((this.options.tls() != null) ? "ssl://" : "tcp://")
				+ (this.options.host().contains(":") ? '[' + this.options.host() + ']' : this.options.host()) + ':'
				+ this.options.port() });
		// What an adapter takes to mean that it has to unsubscribe when it stops.
		info.setCleanStart(true);
		info.setAutomaticReconnect(true);
		info.setKeepAliveInterval((int) this.options.keepAlive().toSeconds());
		return info;
	}

	@Override
	public void start() {
		this.lock.lock();
		try {
			this.running = true;
			connectIfUsed();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void connectIfUsed() {
		if (this.running && this.used && this.supervisor == null) {
			ConnectionSupervisor supervisor = new ConnectionSupervisor(this.options, this.connection, this.stopped);
			// May fail for lack of threads. The next call tries again.
			supervisor.start();
			this.stopped = null;
			this.supervisor = supervisor;
		}
	}

	@Override
	public void stop() {
		ConnectionSupervisor supervisor;
		this.lock.lock();
		try {
			this.running = false;
			supervisor = this.supervisor;
			this.supervisor = null;
			this.stopped = (supervisor != null) ? supervisor : this.stopped;
		}
		finally {
			this.lock.unlock();
		}
		if (supervisor != null) {
			this.inbox.clear();
			supervisor.stop();
		}
	}

	/**
	 * Replaces the connection, for example after certificates have changed. The session
	 * continues, so no message is lost. Has no effect without a connection.
	 * @param reason the reason, for the log
	 */
	public void reconnect(String reason) {
		this.lock.lock();
		try {
			if (this.supervisor != null) {
				this.supervisor.reconnect(reason);
			}
		}
		finally {
			this.lock.unlock();
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

	private void connected(boolean reconnect) {
		this.events.execute(() -> {
			for (ConnectCallback callback : getCallbacks().toArray(new ConnectCallback[0])) {
				try {
					callback.connectComplete(reconnect);
				}
				catch (RuntimeException | Error ex) {
					log.error("A connect callback failed", ex);
				}
			}
		});
	}

	private void unmatched(String topic, MqttMessage message) {
		this.<MqttMessage>getDefaultMessageHandlers().forEach((handler) -> handler.messageArrived(topic, message));
	}

}
