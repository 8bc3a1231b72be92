package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The MQTT connection of the state store client.
 * <p>
 * It connects on {@link #start()} or with the first call, whichever is earlier. Calls
 * therefore work before the application context has started, and after it has stopped.
 * When the connection breaks, attempts to reconnect follow with growing delays until
 * {@link #stop()}. {@link #close()} ends it for good. Each connection begins with a clean
 * session and subscribes again ({@link #addSubscription}). Messages that arrive during an
 * outage are lost.
 * <p>
 * The connection ends if the broker sends nothing, not even the reply to a PING. It also
 * ends if the broker acknowledges nothing for twice the
 * {@link ConnectionOptions#requestTimeout()}, the keep-alive, or 30 seconds, whichever is
 * longest. The time during which a large message is transferred does not count.
 * <p>
 * {@link #start()} waits up to {@link ConnectionOptions#startTimeout()} for the first
 * connection. Without one the application still starts. The log names the cause and the
 * properties to check, and attempts continue in the background. Calls wait for the
 * connection up to their deadline, or fail at once
 * ({@link ConnectionOptions#whenDisconnected()}).
 * <p>
 * Safe for use by several threads. All threads are daemons.
 */
public final class StateStoreConnection implements SmartLifecycle, AutoCloseable {

	/** Starts before all users of the connection, and stops after them. */
	public static final int PHASE = 0;

	/** A broker may be busy for longer than calls are willing to wait. */
	private static final Duration MIN_PATIENCE = Duration.ofSeconds(30);

	private static final Logger logger = LoggerFactory.getLogger(StateStoreConnection.class);

	private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

	private final FlowControl flow;

	private final ConnectionOptions options;

	private final ClientResources resources;

	private final boolean closesResources;

	private final OwnSubscriptions ownSubscriptions;

	private final ConnectionLifecycle lifecycle;

	private volatile @Nullable Link link;

	/** Completed while there is a connection. */
	private volatile CompletableFuture<Void> ready = new CompletableFuture<>();

	/**
	 * Creates a connection with resources of its own, without connecting.
	 * @param options the options
	 */
	public StateStoreConnection(ConnectionOptions options) {
		this(options, new ClientResources(), true);
	}

	/**
	 * Creates a connection that shares resources, for example with other connections.
	 * @param options the options
	 * @param resources timer and threads; closing the connection does not close them
	 */
	public StateStoreConnection(ConnectionOptions options, ClientResources resources) {
		this(options, resources, false);
	}

	private StateStoreConnection(ConnectionOptions options, ClientResources resources, boolean closesResources) {
		this.options = options;
		this.resources = resources;
		this.closesResources = closesResources;
		this.lifecycle = new ConnectionLifecycle(
				(predecessor) -> new ConnectionSupervisor(options, new SupervisorEvents(), predecessor));
		this.flow = new FlowControl(resources.timer(), resources.clock(),
				Collections.max(List.of(MIN_PATIENCE, options.keepAlive(), options.requestTimeout().multipliedBy(2))),
				options.maxInFlight());
		this.ownSubscriptions = new OwnSubscriptions(options, resources.timer());
	}

	/**
	 * Returns the options of this connection.
	 * @return the options
	 */
	public ConnectionOptions options() {
		return this.options;
	}

	/**
	 * Adds a listener that is notified of every connection and its end.
	 * @param listener the listener
	 */
	public void addListener(ConnectionListener listener) {
		this.listeners.add(listener);
	}

	public void removeListener(ConnectionListener listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Subscribes with QoS 1 now and after every reconnect, before any call is sent. If
	 * the broker refuses, a warning is logged, the connection is used without the
	 * subscription, and the next connection repeats it. If the broker does not answer
	 * within the {@link ConnectionOptions#requestTimeout()}, the same connection repeats
	 * it.
	 * @return a future that completes when the broker has granted the subscription for
	 * the first time. It fails with a {@link StateStoreException} if the first answer was
	 * a refusal
	 * @throws IllegalArgumentException if the topic filter is not valid
	 */
	public CompletableFuture<Void> addSubscription(String topicFilter, MessageSink sink) {
		CompletableFuture<Void> granted = new CompletableFuture<>();
		addSubscription(topicFilter, false, new SubscriptionListener() {

			@Override
			public void messageArrived(String topic, MqttMessage message) {
				sink.messageArrived(topic, message);
			}

			@Override
			public void granted() {
				StateStoreConnection.this.resources.replies().execute(() -> granted.complete(null));
			}

			@Override
			public void refused(StateStoreException reason) {
				logger.warn("{}. It is asked for again with the next connection", reason.getMessage());
				StateStoreConnection.this.resources.replies().execute(() -> granted.completeExceptionally(reason));
			}

		});
		return granted.copy();
	}

	/**
	 * As above.
	 * @param required whether a connection without it is of no use, and not kept
	 */
	void addSubscription(String topicFilter, boolean required, SubscriptionListener listener) {
		this.ownSubscriptions.add(topicFilter, required, listener);
	}

	/**
	 * Connects, and waits for the first connection up to the
	 * {@link ConnectionOptions#startTimeout()}, counted from the first use.
	 * @throws IllegalStateException if the connection is closed
	 */
	@Override
	public void start() {
		ConnectionSupervisor supervisor = this.lifecycle.start() ? this.lifecycle.supervisor() : null;
		if (supervisor == null) {
			return;
		}
		try {
			if (!awaitConnected(this.options.startTimeout().minus(supervisor.searchingFor()))) {
				logger.info("Startup continues without a connection to {}. The client keeps connecting; calls {}",
						this.options.url(), (this.options.whenDisconnected() == WhenDisconnected.WAIT)
								? "wait for the connection up to their deadline" : "fail until then");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Disconnects. The next call connects again, other than calls that keep locks or
	 * observe keys.
	 */
	@Override
	public void stop() {
		end(false);
	}

	/** Disconnects for good. Further calls fail. */
	@Override
	public void close() {
		end(true);
		if (this.closesResources) {
			this.resources.close();
		}
	}

	private void end(boolean close) {
		ConnectionSupervisor supervisor = this.lifecycle.end(close);
		if (supervisor != null) {
			notifyListeners(ConnectionListener::stopping);
			supervisor.stop();
		}
	}

	/** Returns whether the application has started this and not stopped it since. */
	@Override
	public boolean isRunning() {
		return this.lifecycle.isRunning();
	}

	/**
	 * Connects if this is the first call.
	 * @param restart whether to connect again after {@link #stop()}
	 * @return whether there is, or will be, a connection
	 */
	boolean use(boolean restart) {
		return this.lifecycle.use(restart);
	}

	/** Returns whether there is, or will be, a connection. */
	boolean isInUse() {
		return this.lifecycle.supervisor() != null;
	}

	/**
	 * Returns whether an ordinary call fails now because there is no connection, which
	 * the options decide.
	 */
	boolean failsCalls() {
		if (this.options.whenDisconnected() == WhenDisconnected.WAIT || this.link != null) {
			return false;
		}
		ConnectionSupervisor supervisor = this.lifecycle.supervisor();
		return supervisor != null
				&& (supervisor.hasAttempted() || supervisor.searchingFor().compareTo(this.options.startTimeout()) >= 0);
	}

	/**
	 * Replaces the connection, for example after certificates have changed. Requests in
	 * flight are given a second to be answered; calls made meanwhile wait for the new
	 * connection. Without a connection this has no effect, because each attempt to
	 * connect reads the certificates.
	 * @param reason the reason, for the log
	 */
	public void reconnect(String reason) {
		ConnectionSupervisor supervisor = this.lifecycle.supervisor();
		if (supervisor != null) {
			supervisor.reconnect(reason);
		}
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * Returns whether there is a connection now.
	 * @return {@code false} during outages and before the first connection
	 */
	public boolean isConnected() {
		return this.link != null;
	}

	/** Waits for the connection, and returns whether it came in time. */
	private boolean awaitConnected(Duration timeout) throws InterruptedException {
		try {
			this.ready.get(Math.max(0, timeout.toNanos()), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (ExecutionException | TimeoutException ex) {
			return this.link != null;
		}
	}

	/** Returns why there is no connection and what to do, as sentences. */
	String outage() {
		ConnectionSupervisor supervisor = this.lifecycle.supervisor();
		return (supervisor == null) ? "The connection to " + this.options.url() + " is " + this.lifecycle.reason() + '.'
				: "No connection to " + this.options.url() + supervisor.problem();
	}

	@Nullable Link link() {
		return this.link;
	}

	FlowControl flow() {
		return this.flow;
	}

	ClientResources resources() {
		return this.resources;
	}

	/**
	 * Returns the broker as shown in logs and messages.
	 * @return the URL
	 */
	public String getUrl() {
		return this.options.url();
	}

	/**
	 * Returns the MQTT client id.
	 * @return the client id
	 */
	public String getClientId() {
		return this.options.clientId();
	}

	private void notifyListeners(Consumer<ConnectionListener> event) {
		for (ConnectionListener listener : this.listeners) {
			runSafely(() -> event.accept(listener), "A connection listener");
		}
	}

	private static void runSafely(Runnable action, String what) {
		try {
			action.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("{} failed", what, ex);
		}
	}

	/** What the supervisor has to say, on its thread; messages on a network thread. */
	private final class SupervisorEvents implements ConnectionSupervisor.Events {

		@Override
		public void messageArrived(String topic, MqttMessage message) {
			StateStoreConnection.this.ownSubscriptions.dispatch(topic, message);
		}

		@Override
		public CompletableFuture<Void> prepare(Link link) {
			return StateStoreConnection.this.ownSubscriptions.prepare(link);
		}

		@Override
		public void connected(Link link, boolean reconnect) {
			StateStoreConnection connection = StateStoreConnection.this;
			connection.link = link;
			connection.ownSubscriptions.connected(link);
			connection.flow.open(link, Math.min(link.receiveMaximum(), connection.options.maxInFlight()));
			connection.notifyListeners((listener) -> listener.connected(reconnect));
			connection.ready.complete(null);
		}

		@Override
		public CompletableFuture<Void> drain() {
			return StateStoreConnection.this.flow.drain();
		}

		@Override
		public void disconnected(String cause) {
			StateStoreConnection connection = StateStoreConnection.this;
			connection.ready = new CompletableFuture<>();
			connection.link = null;
			connection.flow.close();
			connection.ownSubscriptions.disconnected();
			connection.notifyListeners((listener) -> listener.disconnected(cause));
		}

	}

}
