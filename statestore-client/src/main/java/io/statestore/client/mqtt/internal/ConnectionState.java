package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.ConnectionStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Current state of a connection: its link, if there is one. Passes the events of the
 * supervisor on to subscriptions, flow control, and listeners. Thread-safe.
 */
final class ConnectionState implements ConnectionSupervisor.Events {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionState.class);

	private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

	private final OwnSubscriptions subscriptions;

	private final FlowControl flow;

	/** Maximum number of unacknowledged publishes, which the broker may lower. */
	private final int maxInFlight;

	/** Monotonic clock in nanoseconds. */
	private final LongSupplier clock;

	private final LinkOpener links;

	private volatile @Nullable Link link;

	private volatile Period period;

	/** Host of the latest attempt, set on the thread of the supervisor. */
	private volatile @Nullable BrokerAddress latest;

	/** Completed while there is a link. */
	private volatile CompletableFuture<Void> ready = new CompletableFuture<>();

	ConnectionState(OwnSubscriptions subscriptions, FlowControl flow, int maxInFlight, LongSupplier clock,
			LinkOpener links) {
		this.subscriptions = subscriptions;
		this.flow = flow;
		this.maxInFlight = maxInFlight;
		this.clock = clock;
		this.links = links;
		this.period = new Period(null, clock.getAsLong(), 0);
	}

	void addListener(ConnectionListener listener) {
		this.listeners.add(listener);
	}

	void removeListener(ConnectionListener listener) {
		this.listeners.remove(listener);
	}

	/** Returns the host of the connection, or {@code null} without one. */
	@Nullable BrokerAddress broker() {
		return this.period.broker;
	}

	/** Returns the host of the latest attempt, or {@code null} before the first one. */
	@Nullable BrokerAddress latestBroker() {
		return this.latest;
	}

	/** Returns the current link, or {@code null} without a connection. */
	@Nullable Link link() {
		return this.link;
	}

	/**
	 * Returns the current status.
	 * @param problem supplies why there is no connection
	 */
	ConnectionStatus status(Supplier<String> problem) {
		Period period = this.period;
		boolean connected = period.broker != null;
		return new ConnectionStatus(connected, period.broker, Duration.ofNanos(this.clock.getAsLong() - period.since),
				period.reconnects, connected ? null : problem.get());
	}

	/** Waits for the connection, and returns whether there is one. */
	boolean awaitConnected(Duration timeout) throws InterruptedException {
		try {
			this.ready.get(Math.max(0, timeout.toNanos()), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (ExecutionException | TimeoutException ex) {
			return this.link != null;
		}
	}

	/** Notifies the listeners that the application is about to stop the connection. */
	void notifyStopping() {
		notifyListeners(ConnectionListener::stopping);
	}

	@Override
	public Link open(Link.Attempt attempt) {
		this.latest = attempt.host();
		return this.links.open(attempt, this.subscriptions::dispatch);
	}

	@Override
	public CompletableFuture<Void> prepare(Link link) {
		return this.subscriptions.prepare(link);
	}

	@Override
	public void connected(Link link, boolean reconnect) {
		this.link = link;
		begin(this.latest, reconnect ? 1 : 0);
		this.subscriptions.connected(link);
		this.flow.open(link, Math.min(link.receiveMaximum(), this.maxInFlight));
		notifyListeners((listener) -> listener.connected(reconnect));
		this.ready.complete(null);
	}

	@Override
	public CompletableFuture<Void> drain() {
		return this.flow.drain();
	}

	@Override
	public void disconnected(String cause) {
		this.ready = new CompletableFuture<>();
		this.link = null;
		begin(null, 0);
		this.flow.close();
		this.subscriptions.disconnected();
		notifyListeners((listener) -> listener.disconnected(cause));
	}

	private void begin(@Nullable BrokerAddress broker, int reconnects) {
		this.period = new Period(broker, this.clock.getAsLong(), this.period.reconnects + reconnects);
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

	/**
	 * Time with or without a connection. Replaced on the thread of the supervisor.
	 *
	 * @param broker host of the connection, or {@code null} without one
	 * @param since start, in nanoseconds
	 * @param reconnects number of connections after the first one
	 */
	private record Period(@Nullable BrokerAddress broker, long since, long reconnects) {
	}

}
