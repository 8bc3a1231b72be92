package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.client.ClientResources;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one connection alive: a state machine on a thread of its own, from
 * {@link #start()} to {@link #stop()}. Paho's automatic reconnect is not used; it does
 * not retry the first connect and leaks timers and threads.
 */
final class ConnectionSupervisor {

	/** Where the life of the connection stands. */
	enum State {

		/** Not running. */
		STOPPED,

		/** An attempt to connect and subscribe is being made. */
		CONNECTING,

		/** In use. */
		CONNECTED,

		/** An attempt failed or the connection broke; the next attempt comes later. */
		WAITING

	}

	/** What becomes of a connection. Called on the thread of the supervisor. */
	interface Events extends MessageSink {

		/** Begins to connect. */
		default Link open(ConnectionOptions options) throws MqttException {
			return Link.open(options, this);
		}

		/**
		 * Get ready to use a link that the broker accepted.
		 * @return completed when ready
		 */
		CompletableFuture<Void> prepare(Link link);

		void connected(Link link, boolean reconnect);

		/**
		 * Called when the last connection of a supervisor has ended, before a successor
		 * begins.
		 */
		default void ended() {
		}

		/**
		 * Sends nothing more over the present link.
		 * @return completed when all requests that were sent are answered
		 */
		default CompletableFuture<Void> drain() {
			return CompletableFuture.completedFuture(null);
		}

		void disconnected(String cause);

	}

	private static final Logger logger = LoggerFactory.getLogger(ConnectionSupervisor.class);

	/** Time that requests in flight have before their link is replaced. */
	private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration DISCONNECT_TIMEOUT = Duration.ofSeconds(1);

	private final ConnectionOptions options;

	private final Events events;

	private final Backoff backoff;

	private final CompletableFuture<Void> stop = new CompletableFuture<>();

	private final Thread thread;

	private final @Nullable Thread predecessor;

	private volatile State state = State.CONNECTING;

	/** Start of the search for a first link, or of the replacement of a link. */
	private volatile long searchingSince = System.nanoTime();

	private final Outage outage;

	/** Reason to replace the link, set from the request until the next attempt. */
	private final AtomicReference<@Nullable String> reconnect = new AtomicReference<>();

	/** Completed when the link in use is to be replaced. */
	private volatile CompletableFuture<Void> reconnectRequested = new CompletableFuture<>();

	private volatile boolean attempted;

	private boolean connectedBefore;

	/**
	 * @param predecessor whose end is waited for, because two at work would take the
	 * session, and the events, from each other
	 */
	ConnectionSupervisor(ConnectionOptions options, Events events, @Nullable ConnectionSupervisor predecessor) {
		this.options = options;
		this.events = events;
		this.outage = new Outage(options, System::nanoTime);
		this.predecessor = (predecessor != null) ? predecessor.thread : null;
		this.backoff = new Backoff(options.reconnectInitialDelay(), options.reconnectMaxDelay(),
				() -> ThreadLocalRandom.current().nextDouble());
		this.thread = ClientResources.daemonThreads("statestore-connection-" + options.clientId()).newThread(this::run);
	}

	/** Begin to connect; called once. */
	void start() {
		this.thread.start();
	}

	/** Disconnect, and wait until that is done; called once. */
	void stop() {
		this.stop.complete(null);
		try {
			this.thread.join(DISCONNECT_TIMEOUT.multipliedBy(2).toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	State state() {
		return this.state;
	}

	/** Returns the time since a first link is searched for, or a link replaced. */
	Duration searchingFor() {
		return Duration.ofNanos(System.nanoTime() - this.searchingSince);
	}

	/**
	 * Returns whether an attempt to connect has ended since then, whatever its outcome.
	 */
	boolean hasAttempted() {
		return this.attempted;
	}

	/** Returns why there is no connection and what to do, as the end of a sentence. */
	String problem() {
		return this.outage.problem();
	}

	/** Replaces the link in use, also one that is being opened now. */
	void reconnect(String reason) {
		this.reconnect.set(reason);
		this.reconnectRequested.complete(null);
	}

	private void run() {
		try {
			if (this.predecessor != null) {
				this.predecessor.join();
			}
			this.outage.begin();
			while (!this.stop.isDone()) {
				transition(State.CONNECTING);
				Duration delay = connectAndUse();
				if (!this.stop.isDone()) {
					transition(State.WAITING);
					await(this.stop, delay);
				}
			}
		}
		catch (InterruptedException ex) {
			logger.warn("The thread that supervises the connection to {} was interrupted and ends", this.options.url());
		}
		finally {
			transition(State.STOPPED);
			this.events.ended();
		}
	}

	/** One attempt, and the life of the connection if it succeeds. */
	private Duration connectAndUse() throws InterruptedException {
		this.outage.attempt();
		this.reconnect.set(null);
		Link link = null;
		try {
			link = this.events.open(this.options);
			establish(link);
			return use(link);
		}
		catch (Exception | Error ex) {
			// An Error too, such as a missing thread: otherwise no further attempt
			// follows.
			closeQuietly(link);
			if (ex instanceof InterruptedException interrupted) {
				throw interrupted;
			}
			return this.stop.isDone() ? Duration.ZERO : failed(ex);
		}
	}

	private void establish(Link link) throws InterruptedException, ExecutionException, TimeoutException {
		awaitUnlessLost(link, link.accepted());
		awaitUnlessLost(link, this.events.prepare(link));
	}

	private void awaitUnlessLost(Link link, CompletableFuture<?> step)
			throws InterruptedException, ExecutionException, TimeoutException {
		CompletableFuture.anyOf(step, link.lost(), this.stop)
			.get(this.options.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
		if (!step.isDone()) {
			throw new IllegalStateException(link.lost().isDone() ? link.lost().join() : "stopped");
		}
		step.get();
	}

	private Duration use(Link link) throws InterruptedException {
		long connectedAt = System.nanoTime();
		boolean reconnect = this.connectedBefore;
		this.outage.end(reconnect);
		transition(State.CONNECTED);
		this.connectedBefore = true;
		try {
			this.events.connected(link, reconnect);
		}
		catch (RuntimeException | Error ex) {
			// For example for lack of threads. The connection is unusable.
			link.abort(Failures.describe(ex));
		}
		this.attempted = true;
		awaitEnd(link);
		if (link.lost().isDone()) {
			this.backoff.connectedFor(Duration.ofNanos(System.nanoTime() - connectedAt));
			return lost(link, link.lost().join());
		}
		boolean stopped = this.stop.isDone();
		String reason = stopped ? "stopped" : this.reconnect.get();
		this.outage.beginOnRequest();
		this.searchingSince = System.nanoTime();
		this.attempted = false;
		this.events.disconnected(String.valueOf(reason));
		// The next connection resumes the session of a link that is replaced.
		disconnect(link, stopped);
		logger.info("Disconnected from {} ({})", this.options.url(), reason);
		return Duration.ZERO;
	}

	private static void disconnect(Link link, boolean endSession) throws InterruptedException {
		try {
			link.disconnect(DISCONNECT_TIMEOUT, endSession);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("A connection was closed without DISCONNECT", ex);
			link.close();
		}
	}

	/** Waits for the end of a link, its replacement included. */
	private void awaitEnd(Link link) throws InterruptedException {
		CompletableFuture<Void> requested = new CompletableFuture<>();
		this.reconnectRequested = requested;
		if (this.reconnect.get() == null) {
			await(CompletableFuture.anyOf(link.lost(), this.stop, requested), null);
		}
		if (!link.lost().isDone() && !this.stop.isDone()) {
			await(CompletableFuture.anyOf(link.lost(), this.stop, this.events.drain()), DRAIN_TIMEOUT);
		}
	}

	private Duration lost(Link link, String cause) {
		Duration delay = Failures.isTakenOver(cause) ? this.backoff.nextDelayAfterTakeover() : this.backoff.nextDelay();
		this.outage.beginAfterLoss(cause, delay);
		transition(State.WAITING);
		this.events.disconnected(cause);
		link.close();
		return delay;
	}

	private Duration failed(Throwable failure) {
		Throwable cause = (failure instanceof ExecutionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		Duration delay = this.backoff.nextDelay();
		this.outage.attemptFailed(cause, delay);
		this.attempted = true;
		return delay;
	}

	private void transition(State next) {
		if (this.state != next) {
			logger.debug("Connection to {}: {} -> {}", this.options.url(), this.state, next);
			this.state = next;
		}
	}

	private static void closeQuietly(@Nullable Link link) {
		if (link == null) {
			return;
		}
		try {
			link.close();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("A connection could not be closed", ex);
		}
	}

	/** Wait without an outcome; a timeout is fine. */
	private static void await(CompletableFuture<?> future, @Nullable Duration timeout) throws InterruptedException {
		try {
			if (timeout == null) {
				future.get();
			}
			else {
				future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			// Time to go on.
		}
	}

}
