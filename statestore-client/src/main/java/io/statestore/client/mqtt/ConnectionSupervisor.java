package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

		void disconnected(String cause);

	}

	private static final Logger logger = LoggerFactory.getLogger(ConnectionSupervisor.class);

	private static final Duration DISCONNECT_TIMEOUT = Duration.ofSeconds(1);

	private final ConnectionOptions options;

	private final Events events;

	private final Backoff backoff;

	private final CompletableFuture<Void> stop = new CompletableFuture<>();

	private final Thread thread;

	private final @Nullable Thread predecessor;

	private volatile State state = State.CONNECTING;

	private volatile @Nullable Throwable lastFailure;

	/** Set from the loss of a connection, or the first attempt, to the next success. */
	private long searchingSince;

	private int attempts;

	private boolean connectedBefore;

	/**
	 * @param predecessor whose end is waited for, because two at work would take the
	 * session, and the events, from each other
	 */
	ConnectionSupervisor(ConnectionOptions options, Events events, @Nullable ConnectionSupervisor predecessor) {
		this.options = options;
		this.events = events;
		this.predecessor = (predecessor != null) ? predecessor.thread : null;
		this.backoff = new Backoff(options.reconnectInitialDelay(), options.reconnectMaxDelay(),
				() -> ThreadLocalRandom.current().nextDouble());
		this.thread = ClientThreads.daemons("statestore-connection", options.clientId()).newThread(this::run);
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

	/** Why the last attempt failed, {@code null} if it did not. */
	@Nullable Throwable lastFailure() {
		return this.lastFailure;
	}

	private void run() {
		try {
			if (this.predecessor != null) {
				this.predecessor.join();
			}
			this.searchingSince = System.nanoTime();
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
		}
	}

	/** One attempt, and the life of the connection if it succeeds. */
	private Duration connectAndUse() throws InterruptedException {
		this.attempts++;
		Link link = null;
		try {
			link = this.events.open(this.options);
			establish(link);
		}
		catch (Exception | Error ex) {
			// An Error too, such as for want of a thread: nobody would try again.
			closeQuietly(link);
			if (ex instanceof InterruptedException interrupted) {
				throw interrupted;
			}
			return this.stop.isDone() ? Duration.ZERO : failed(ex);
		}
		return use(link);
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
		this.lastFailure = null;
		logConnected(Duration.ofNanos(connectedAt - this.searchingSince));
		transition(State.CONNECTED);
		boolean reconnect = this.connectedBefore;
		this.connectedBefore = true;
		try {
			this.events.connected(link, reconnect);
		}
		catch (RuntimeException | Error ex) {
			// Such as for want of a thread. Half prepared it is of no use.
			link.abort(Failures.describe(ex));
		}
		await(CompletableFuture.anyOf(link.lost(), this.stop), null);
		this.searchingSince = System.nanoTime();
		this.attempts = 0;
		if (!link.lost().isDone()) {
			this.events.disconnected("stopped");
			link.disconnect(DISCONNECT_TIMEOUT);
			logger.info("Disconnected from {}", this.options.url());
			return Duration.ZERO;
		}
		this.backoff.connectedFor(Duration.ofNanos(this.searchingSince - connectedAt));
		Duration delay = this.backoff.nextDelay();
		String cause = link.lost().join();
		logger.warn("Lost connection to {} ({}); reconnecting in {} s", this.options.url(), cause, seconds(delay));
		transition(State.WAITING);
		this.events.disconnected(cause);
		link.close();
		return delay;
	}

	private Duration failed(Throwable failure) {
		Throwable cause = (failure instanceof ExecutionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		this.lastFailure = cause;
		Duration delay = this.backoff.nextDelay();
		logger.warn("Could not connect to {} as client {} ({}), attempt {}; next in {} s. {}", this.options.url(),
				this.options.clientId(), Failures.describe(cause), this.attempts, seconds(delay),
				Failures.nextStep(cause, this.options));
		logger.debug("Could not connect", cause);
		return delay;
	}

	private void logConnected(Duration searched) {
		if (this.connectedBefore) {
			logger.info("Reconnected to {} after {} s, {}", this.options.url(), seconds(searched),
					(this.attempts == 1) ? "1 attempt" : this.attempts + " attempts");
		}
		else {
			logger.info("Connected to {} as client {}", this.options.url(), this.options.clientId());
		}
	}

	private void transition(State next) {
		if (this.state != next) {
			logger.debug("Connection to {}: {} -> {}", this.options.url(), this.state, next);
			this.state = next;
		}
	}

	private static void closeQuietly(@Nullable Link link) {
		if (link != null) {
			link.close();
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

	private static String seconds(Duration duration) {
		return String.format(Locale.ROOT, "%.1f", duration.toNanos() / 1e9);
	}

}
