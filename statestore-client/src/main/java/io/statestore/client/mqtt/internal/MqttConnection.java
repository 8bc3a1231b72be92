package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionStatus;
import io.statestore.client.mqtt.DisconnectedBehavior;
import io.statestore.mqtt.Publish;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection behind a {@code StateStoreConnection}, with its subscriptions and the
 * flow control of its publishes. Thread-safe.
 */
public final class MqttConnection implements AutoCloseable {

	/** Minimum time without acknowledgments, because a broker may be busy for a while. */
	private static final Duration MIN_ACKNOWLEDGMENT_TIMEOUT = Duration.ofSeconds(30);

	private static final Logger logger = LoggerFactory.getLogger(MqttConnection.class);

	private final ConnectionOptions options;

	private final ClientResources resources;

	/** Whether {@link #close()} closes the resources. */
	private final boolean closesResources;

	private final FlowControl flow;

	private final Completions completions;

	private final OwnSubscriptions subscriptions;

	private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

	private final ConnectionLifecycle lifecycle;

	private volatile @Nullable Link link;

	private volatile Period period;

	/** Host of the latest attempt, set on the thread of the supervisor. */
	private volatile BrokerAddress latest;

	/** Completed while there is a link. */
	private volatile CompletableFuture<Void> ready = new CompletableFuture<>();

	/**
	 * Creates a connection with its own resources. It does not connect yet.
	 * @param options address of the broker and options of the connection
	 */
	public MqttConnection(ConnectionOptions options) {
		this(options, new ClientResources(), true);
	}

	/**
	 * Creates a connection that shares resources, for example with other connections.
	 * @param options address of the broker and options of the connection
	 * @param resources timer and threads, which {@link #close()} does not close
	 */
	public MqttConnection(ConnectionOptions options, ClientResources resources) {
		this(options, resources, false);
	}

	private MqttConnection(ConnectionOptions options, ClientResources resources, boolean closesResources) {
		this.options = options;
		this.resources = resources;
		this.closesResources = closesResources;
		TimeSource time = resources.time();
		this.flow = new FlowControl(resources.networkTimer(), time,
				time.activity("unacknowledged requests of client '" + options.clientId() + '\''),
				acknowledgmentTimeout(options), options.maxInFlight());
		this.completions = new Completions(resources.replies(), resources.time(), resources.networkTimer());
		this.subscriptions = new OwnSubscriptions(options, resources);
		this.period = new Period(null, time.nanoTime(), 0);
		this.latest = options.hosts().get(0);
		HostRotation hosts = new HostRotation(options.hosts(), ThreadLocalRandom.current());
		Events events = new Events();
		this.lifecycle = new ConnectionLifecycle(
				(predecessor) -> new ConnectionSupervisor(options, hosts, events, time, predecessor));
	}

	private static Duration acknowledgmentTimeout(ConnectionOptions options) {
		return Collections
			.max(List.of(MIN_ACKNOWLEDGMENT_TIMEOUT, options.keepAlive(), options.requestTimeout().multipliedBy(2)));
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

	/**
	 * Removes a listener.
	 * @param listener the listener; an unknown one is ignored
	 */
	public void removeListener(ConnectionListener listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Subscribes with QoS 1 now and after every reconnect, before any call is sent.
	 * <p>
	 * If the broker refuses, a warning is logged, the connection is used without the
	 * subscription, and the next connection requests it again. If the broker does not
	 * answer within the {@link ConnectionOptions#requestTimeout()}, the same connection
	 * requests it again.
	 * @param topicFilter an MQTT topic filter
	 * @param sink receives the messages on a network thread
	 * @return a future that completes when the broker has granted the subscription for
	 * the first time. It fails with a {@link StateStoreException} if the first answer was
	 * a refusal
	 * @throws IllegalArgumentException if the topic filter is invalid
	 */
	CompletableFuture<Void> addSubscription(String topicFilter, Consumer<LinkMessage> sink) {
		CompletableFuture<Void> granted = new CompletableFuture<>();
		addSubscription(topicFilter, false, new SubscriptionListener() {

			public void messageArrived(LinkMessage message) {
				sink.accept(message);
			}

			public void granted() {
				MqttConnection.this.resources.replies().execute(() -> granted.complete(null));
			}

			public void refused(StateStoreException reason) {
				logger.warn("{}. The next connection requests it again", reason.getMessage());
				MqttConnection.this.resources.replies().execute(() -> granted.completeExceptionally(reason));
			}

		});
		return granted.copy();
	}

	/**
	 * Subscribes now and after every reconnect.
	 * @param topicFilter an MQTT topic filter
	 * @param required whether the subscription must be in place before a connection can
	 * be used
	 * @param listener receives the messages and the answers of the broker
	 */
	public void addSubscription(String topicFilter, boolean required, SubscriptionListener listener) {
		this.subscriptions.add(topicFilter, required, listener);
	}

	/**
	 * Connects, and waits for the first connection up to the
	 * {@link ConnectionOptions#startTimeout()}, counted from the first use.
	 * @throws IllegalStateException if the connection is closed
	 */
	public void start() {
		ConnectionSupervisor supervisor = this.lifecycle.start() ? this.lifecycle.supervisor() : null;
		if (supervisor == null) {
			return;
		}
		try {
			if (!awaitConnected(this.options.startTimeout().minus(supervisor.searchingFor()))) {
				logger.info("Startup continues without a connection to {}. The client keeps connecting; calls {}",
						this.options.url(), (this.options.disconnectedBehavior() == DisconnectedBehavior.WAIT)
								? "wait for the connection up to their deadline" : "fail until then");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Waits for the connection, and returns whether there is one. */
	private boolean awaitConnected(Duration timeout) throws InterruptedException {
		try {
			this.ready.get(Math.max(0, timeout.toNanos()), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (ExecutionException | TimeoutException ex) {
			return isConnected();
		}
	}

	/**
	 * Disconnects, and waits up to two seconds until that is done. The next call connects
	 * again, except for calls that keep locks or watch keys.
	 */
	public void stop() {
		end(false);
	}

	/**
	 * Disconnects for good, and waits up to two seconds until that is done. Further calls
	 * fail.
	 */
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

	private void notifyListeners(Consumer<ConnectionListener> event) {
		for (ConnectionListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (RuntimeException | Error ex) {
				logger.error("A connection listener failed", ex);
			}
		}
	}

	/** Returns whether the application has started this and not stopped it since. */
	public boolean isRunning() {
		return this.lifecycle.isRunning();
	}

	/**
	 * Connects unless that has been done before.
	 * @param restart whether to connect again after {@link #stop()}
	 * @return whether there is, or will be, a connection
	 */
	public boolean use(boolean restart) {
		return this.lifecycle.use(restart);
	}

	/** Returns whether there is, or will be, a connection. */
	boolean isInUse() {
		return this.lifecycle.supervisor() != null;
	}

	/**
	 * Returns whether an ordinary call must fail now or soon, as it has no connection.
	 */
	boolean mayFailCalls() {
		return this.options.disconnectedBehavior() == DisconnectedBehavior.FAIL && !isConnected();
	}

	/**
	 * Returns whether an ordinary call must fail now, because there is no connection and
	 * the options do not allow it to wait.
	 */
	boolean failsCalls() {
		if (!mayFailCalls()) {
			return false;
		}
		ConnectionSupervisor supervisor = this.lifecycle.supervisor();
		return supervisor != null
				&& (supervisor.hasAttempted() || supervisor.searchingFor().compareTo(this.options.startTimeout()) >= 0);
	}

	/**
	 * Replaces the connection, for example after certificates have changed. Requests in
	 * flight have a second to be answered; calls made meanwhile wait for the new
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

	/**
	 * Returns whether there is a connection now.
	 * @return {@code false} during outages and before the first connection
	 */
	public boolean isConnected() {
		return this.link != null;
	}

	/**
	 * Returns the present status of the connection, for health checks and meters. Does
	 * not wait.
	 * @return the status
	 */
	public ConnectionStatus status() {
		Period period = this.period;
		boolean connected = period.broker != null;
		return new ConnectionStatus(connected, period.broker,
				Duration.ofNanos(this.resources.time().nanoTime() - period.since), period.reconnects,
				connected ? null : outage());
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

	/** Returns the executor that completes the futures of calls. */
	Completions completions() {
		return this.completions;
	}

	/**
	 * Returns the timer and the threads of this connection.
	 * @return the resources
	 */
	public ClientResources resources() {
		return this.resources;
	}

	/**
	 * Returns the broker as shown in logs and messages.
	 * @return the URL of the host in use. Without a connection, the URL of all hosts
	 */
	public String getUrl() {
		BrokerAddress broker = this.period.broker;
		return (broker != null) ? this.options.url(broker) : this.options.url();
	}

	/**
	 * Returns the host in use.
	 * @return the host; without a connection, that of the latest attempt
	 */
	public BrokerAddress address() {
		return this.latest;
	}

	/**
	 * Returns the MQTT client id.
	 * @return the client id
	 */
	public String getClientId() {
		return this.options.clientId();
	}

	/**
	 * Passes the events of the supervisor, on its thread, on to subscriptions, flow
	 * control, and listeners.
	 */
	private final class Events implements ConnectionSupervisor.Events, Link.Session {

		@Override
		public Link open(Link.Attempt attempt) {
			MqttConnection.this.latest = attempt.host();
			return new Link(attempt, this);
		}

		@Override
		public boolean published(Publish publish) {
			MqttConnection.this.completions.readStarted();
			try {
				MqttConnection.this.subscriptions.dispatch(NettyMessages.received(publish));
			}
			catch (RuntimeException | Error ex) {
				logger.error("Failed to process a message on topic {}; the message is lost. This is a bug: report it "
						+ "with this stack trace", publish.topic(), ex);
			}
			return true;
		}

		@Override
		public void readCompleted() {
			MqttConnection.this.completions.readCompleted();
		}

		@Override
		public CompletableFuture<Void> prepare(Link link) {
			return MqttConnection.this.subscriptions.prepare(link);
		}

		@Override
		public void connected(Link link, boolean reconnect) {
			MqttConnection connection = MqttConnection.this;
			connection.link = link;
			begin(connection.latest, reconnect ? 1 : 0);
			connection.subscriptions.connected(link);
			connection.flow.open(link, Math.min(link.limits().receiveMaximum(), connection.options.maxInFlight()));
			notifyListeners((listener) -> listener.connected(reconnect));
			connection.ready.complete(null);
		}

		@Override
		public CompletableFuture<Void> drain() {
			return MqttConnection.this.flow.drain();
		}

		@Override
		public void disconnected(String cause) {
			MqttConnection connection = MqttConnection.this;
			connection.ready = new CompletableFuture<>();
			connection.link = null;
			begin(null, 0);
			connection.flow.close();
			connection.subscriptions.disconnected();
			notifyListeners((listener) -> listener.disconnected(cause));
		}

		private void begin(@Nullable BrokerAddress broker, int reconnects) {
			MqttConnection connection = MqttConnection.this;
			connection.period = new Period(broker, connection.resources.time().nanoTime(),
					connection.period.reconnects + reconnects);
		}

	}

	/**
	 * Time with or without a connection. Replaced on the thread of the supervisor.
	 *
	 * @param broker host of the connection, or {@code null} without one
	 * @param since start, in nanoseconds
	 * @param reconnects number of connections after the first
	 */
	private record Period(@Nullable BrokerAddress broker, long since, long reconnects) {
	}

	/**
	 * Listener for the messages of one subscription, and for the broker's answer to it on
	 * every connection. Called on a network thread, and must not block. No answer is
	 * reported after {@link ConnectionListener#disconnected}.
	 */
	public interface SubscriptionListener {

		/**
		 * Called for each message, in the order of arrival. Must hand the message over
		 * without blocking. Exceptions are logged.
		 * @param message the message
		 */
		void messageArrived(LinkMessage message);

		/**
		 * Called when the broker has granted the subscription on the current connection.
		 */
		default void granted() {
		}

		/**
		 * Called when the broker has refused the subscription on the current connection.
		 * The next connection requests it again.
		 * @param reason the reason code of the broker, and what to do
		 */
		default void refused(StateStoreException reason) {
		}

	}

}
