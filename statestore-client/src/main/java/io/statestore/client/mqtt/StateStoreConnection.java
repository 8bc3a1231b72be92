package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.statestore.client.StateStoreException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The MQTT connection of the state store client.
 * <p>
 * It is made and kept by a supervisor: when it breaks, attempts to reconnect follow with
 * growing delays until {@link #stop()}. Each connection begins with a clean session, so a
 * broker that has lost its sessions makes no difference; what must be subscribed again is
 * ({@link #addSubscription}). Messages that are published meanwhile are lost.
 * <p>
 * A broker that has fallen silent is noticed by its missing signs of life, and one that
 * acknowledges nothing for twice the {@link ConnectionOptions#requestTimeout()}, the
 * keep-alive or 30 seconds, whichever is longest: both are a connection that broke. While
 * a large message moves, either way, nobody waits for an acknowledgement.
 * <p>
 * {@link #start()} waits up to {@link ConnectionOptions#startTimeout()} for the first
 * connection. Without one the application starts all the same: the log names the cause
 * and the properties to check, attempts go on in the background, and calls wait for the
 * connection up to their deadline.
 * <p>
 * Safe for use by several threads. All threads are daemons.
 */
public final class StateStoreConnection implements SmartLifecycle {

	/** Before whatever uses the connection, after it when stopping. */
	public static final int PHASE = 0;

	/** A broker may be busy for longer than calls are willing to wait. */
	private static final Duration MIN_PATIENCE = Duration.ofSeconds(30);

	private static final Logger logger = LoggerFactory.getLogger(StateStoreConnection.class);

	private final ReentrantLock lifecycleLock = new ReentrantLock();

	private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

	private final FlowControl flow;

	private final ConnectionOptions options;

	private final ClientThreads threads;

	private final OwnSubscriptions ownSubscriptions;

	private volatile @Nullable ConnectionSupervisor supervisor;

	/** The one before, which may still be about to end. */
	private @Nullable ConnectionSupervisor stopped;

	private volatile @Nullable Link link;

	/** Completed while there is a connection. */
	private volatile CompletableFuture<Void> ready = new CompletableFuture<>();

	public StateStoreConnection(ConnectionOptions options) {
		this(options, System::nanoTime);
	}

	StateStoreConnection(ConnectionOptions options, LongSupplier clock) {
		this.options = options;
		this.threads = new ClientThreads(options.clientId());
		this.flow = new FlowControl(this.threads.timer, clock,
				Collections.max(List.of(MIN_PATIENCE, options.keepAlive(), options.requestTimeout().multipliedBy(2))));
		this.ownSubscriptions = new OwnSubscriptions(options, this.threads.timer);
	}

	/** What this connection was made with. */
	public ConnectionOptions options() {
		return this.options;
	}

	/** Be told of every connection and its end. */
	public void addListener(ConnectionListener listener) {
		this.listeners.add(listener);
	}

	public void removeListener(ConnectionListener listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Subscribe with QoS 1 now and after every reconnect, before any call is sent. A
	 * connection on which the broker refuses is used without the subscription, a warning
	 * is logged, and the next connection asks again; so does this one where the broker
	 * does not answer within the {@link ConnectionOptions#requestTimeout()}.
	 * @return completed when the broker has granted the subscription for the first time,
	 * or with a {@link StateStoreException} if its first answer was a refusal
	 * @throws IllegalArgumentException if the topic filter is none
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
				StateStoreConnection.this.threads.completions.execute(() -> granted.complete(null));
			}

			@Override
			public void refused(StateStoreException reason) {
				logger.warn("{}. It is asked for again with the next connection", reason.getMessage());
				StateStoreConnection.this.threads.completions.execute(() -> granted.completeExceptionally(reason));
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

	@Override
	public void start() {
		ConnectionSupervisor supervisor;
		this.lifecycleLock.lock();
		try {
			if (this.supervisor != null) {
				return;
			}
			supervisor = new ConnectionSupervisor(this.options, new SupervisorEvents(), this.stopped);
			this.stopped = null;
			this.supervisor = supervisor;
			supervisor.start();
		}
		finally {
			this.lifecycleLock.unlock();
		}
		try {
			if (!awaitConnected(this.options.startTimeout())) {
				logger.warn("{} The application goes on without it and further attempts are made. Calls to the state "
						+ "store wait for the connection, and fail at their deadline", outage());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void stop() {
		ConnectionSupervisor supervisor;
		this.lifecycleLock.lock();
		try {
			supervisor = this.supervisor;
			this.supervisor = null;
			this.stopped = (supervisor != null) ? supervisor : this.stopped;
		}
		finally {
			this.lifecycleLock.unlock();
		}
		if (supervisor != null) {
			notifyListeners(ConnectionListener::stopping);
			supervisor.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.supervisor != null;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * Returns whether the connection is established.
	 * @return {@code true} from the acceptance by the broker to the loss or the end
	 */
	public boolean isConnected() {
		return this.link != null;
	}

	/** Waits for the connection, and returns whether it came in time. */
	private boolean awaitConnected(Duration timeout) throws InterruptedException {
		try {
			this.ready.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (ExecutionException | TimeoutException ex) {
			return this.link != null;
		}
	}

	/** Why there is no connection and what to do, as a sentence. */
	String outage() {
		ConnectionSupervisor supervisor = this.supervisor;
		if (supervisor == null) {
			return "The connection to " + this.options.url() + " is stopped.";
		}
		Throwable failure = supervisor.lastFailure();
		return "No connection to " + this.options.url()
				+ ((failure != null) ? " (" + Failures.describe(failure) + "). " : ". ")
				+ Failures.nextStep(failure, this.options);
	}

	@Nullable Link link() {
		return this.link;
	}

	FlowControl flow() {
		return this.flow;
	}

	ClientThreads threads() {
		return this.threads;
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
