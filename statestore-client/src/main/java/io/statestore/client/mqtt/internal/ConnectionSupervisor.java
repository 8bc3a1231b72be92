package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a connection established: a state machine on its own thread, from
 * {@link #start()} to {@link #stop()}.
 */
public final class ConnectionSupervisor {

	/** States of the connection. */
	enum State {

		/** The supervisor has ended. */
		STOPPED,

		/** An attempt to connect and subscribe is under way. */
		CONNECTING,

		/** A link is in use. */
		CONNECTED,

		/** An attempt failed or a link was lost; the next attempt is scheduled. */
		WAITING

	}

	/** Receives the events of the connection on the thread of the supervisor. */
	public interface Events {

		/**
		 * Starts to connect to a host.
		 * @param attempt host and options of the connection
		 * @return a link, which may still be connecting
		 */
		Link open(Link.Attempt attempt);

		/**
		 * Prepares the use of a link that the broker has accepted.
		 * @param link the link
		 * @return a future that completes when the link can be used
		 */
		CompletableFuture<Void> prepare(Link link);

		/**
		 * Called when a link is ready.
		 * @param link the link
		 * @param reconnect whether there was a link before
		 */
		void connected(Link link, boolean reconnect);

		/**
		 * Stops sending over the link in use.
		 * @return a future that completes when all requests in flight have ended
		 */
		default CompletableFuture<Void> drain() {
			return CompletableFuture.completedFuture(null);
		}

		/**
		 * Called when the link in use has ended.
		 * @param cause the cause, as shown in the log
		 */
		void disconnected(String cause);

		/** Called once, at the end of the supervisor and before a successor starts. */
		default void ended() {
		}

	}

	private static final Logger logger = LoggerFactory.getLogger(ConnectionSupervisor.class);

	/** Time that requests in flight have before their link is replaced. */
	private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(1);

	/** Time after a failed request within which its link reports why it has ended. */
	private static final Duration LOSS_TIMEOUT = Duration.ofMillis(200);

	private static final Duration DISCONNECT_TIMEOUT = Duration.ofSeconds(1);

	private final ConnectionOptions options;

	/** The data of the enhanced authentication, {@code null} without one. */
	private final @Nullable AuthenticationData authentication;

	private final Events events;

	private final TimeSource time;

	private final ThreadFactory threads;

	private final Backoff backoff;

	private final CompletableFuture<Void> stop = new CompletableFuture<>();

	private final Thread thread;

	/** Code that the thread runs, set before it starts. */
	private Runnable task = this::run;

	private final @Nullable Thread predecessor;

	private volatile State state = State.CONNECTING;

	/** Start of the search for a first link, or of the replacement of a link. */
	private volatile long searchingSince;

	private final Outage outage;

	private final HostRotation hosts;

	/** Reason to replace the link, set from the request until the next attempt. */
	private final AtomicReference<@Nullable String> reconnect = new AtomicReference<>();

	/** Completed when the link in use is to be replaced. */
	private volatile CompletableFuture<Void> reconnectRequested = new CompletableFuture<>();

	/** Whether all hosts have failed, or one was connected, since the search began. */
	private volatile boolean attempted;

	private boolean connectedBefore;

	/**
	 * Creates a supervisor.
	 * @param options address of the broker and options of the connection
	 * @param events receives the events of the connection
	 * @param time measures the delays between attempts. Attempts to connect follow the
	 * time of the system
	 * @param predecessor supervisor whose end this one waits for, or {@code null} if
	 * there is none. Two supervisors at work would take the session from each other
	 */
	public ConnectionSupervisor(ConnectionOptions options, Events events, TimeSource time,
			@Nullable ConnectionSupervisor predecessor) {
		this(options, new HostRotation(options.hosts(), ThreadLocalRandom.current()), events, time, predecessor);
	}

	/**
	 * Creates a supervisor.
	 * @param hosts order of the hosts, which the predecessor may have used before
	 */
	ConnectionSupervisor(ConnectionOptions options, HostRotation hosts, Events events, TimeSource time,
			@Nullable ConnectionSupervisor predecessor) {
		this.hosts = hosts;
		EnhancedAuthentication authentication = options.authentication();
		this.authentication = (authentication != null) ? new AuthenticationData(authentication, time) : null;
		this.options = options;
		this.events = events;
		this.time = time;
		this.searchingSince = time.nanoTime();
		this.outage = new Outage(options, time::nanoTime);
		this.predecessor = (predecessor != null) ? predecessor.thread : null;
		this.backoff = new Backoff(options.reconnectInitialDelay(), options.reconnectMaxDelay(),
				() -> ThreadLocalRandom.current().nextDouble());
		this.threads = ClientResources.daemonThreads("statestore-mqtt-" + options.clientId());
		this.thread = ClientResources.daemonThreads("statestore-connection-" + options.clientId())
			.newThread(() -> this.task.run());
	}

	/** Starts to connect. Must be called once. */
	public void start() {
		this.task = this.time.tracked(this::run);
		this.thread.start();
	}

	/**
	 * Disconnects, and waits up to two seconds until that is done. Must be called once.
	 */
	public void stop() {
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

	/** Returns the duration of the search for a first link, or of its replacement. */
	Duration searchingFor() {
		return Duration.ofNanos(this.time.nanoTime() - this.searchingSince);
	}

	/**
	 * Returns whether an attempt to connect has ended since the search began, whatever
	 * its outcome. With several hosts, attempts that fail as if a cluster elected a
	 * leader do not count.
	 */
	boolean hasAttempted() {
		return this.attempted;
	}

	/** Returns why there is no connection and what to do, as the end of a sentence. */
	String problem() {
		return this.outage.problem();
	}

	/**
	 * Replaces the link, also one that is connecting. Requests in flight have a second to
	 * end.
	 * @param reason the reason, for the log
	 */
	public void reconnect(String reason) {
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
			logger.warn("The thread that maintains the connection to {} was interrupted, so the connection is closed "
					+ "for good. Create another StateStoreConnection", this.options.url());
		}
		finally {
			transition(State.STOPPED);
			this.events.ended();
		}
	}

	/**
	 * Makes one attempt to connect, and returns after the end of the connection.
	 * @return the delay before the next attempt
	 */
	private Duration connectAndUse() throws InterruptedException {
		BrokerAddress host = this.hosts.next();
		this.outage.attempt(host);
		this.reconnect.set(null);
		Link link = null;
		try {
			Duration timeout = this.hosts.timeout(this.options.connectTimeout());
			byte[] data = (this.authentication != null) ? this.authentication.send() : null;
			link = this.events.open(new Link.Attempt(this.options, host, timeout, data, this.threads));
			awaitUnlessLost(link, link.accepted(), timeout);
			if (isToMove(link)) {
				disconnect(link, false);
				return Duration.ZERO;
			}
			prepare(link, timeout);
			return use(link);
		}
		catch (Exception | Error ex) {
			// Includes errors, such as a missing thread, so that attempts continue.
			closeQuietly(link);
			if (ex instanceof InterruptedException interrupted) {
				throw interrupted;
			}
			return this.stop.isDone() ? Duration.ZERO : failed(ex);
		}
	}

	/** Returns whether another host leads, which is then the next one. */
	private boolean isToMove(Link link) {
		String leader = link.leader();
		if (leader == null || this.options.hosts().size() == 1 || !this.hosts.moveTo(leader)) {
			return false;
		}
		logger.debug("The broker at {} forwards this client to the leader, {}; connecting to that host", url(),
				Failures.shown(leader));
		return true;
	}

	private void prepare(Link link, Duration timeout)
			throws InterruptedException, ExecutionException, TimeoutException {
		try {
			awaitUnlessLost(link, this.events.prepare(link), timeout);
		}
		catch (ExecutionException ex) {
			if (!(ex.getCause() instanceof StateStoreException)) {
				// Not refused, so the connection may have ended. The loss has the cause.
				await(link.lost(), LOSS_TIMEOUT);
				failIfLost(link);
			}
			throw ex;
		}
	}

	private void awaitUnlessLost(Link link, CompletableFuture<?> step, Duration timeout)
			throws InterruptedException, ExecutionException, TimeoutException {
		CompletableFuture.anyOf(step, link.lost(), this.stop).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		if (!step.isDone()) {
			failIfLost(link);
			throw new IllegalStateException("the client stops");
		}
		step.get();
	}

	private static void failIfLost(Link link) {
		if (link.lost().isDone()) {
			throw new IllegalStateException("Lost connection", link.lost().join());
		}
	}

	private Duration use(Link link) throws InterruptedException {
		long connectedAt = this.time.nanoTime();
		boolean reconnect = this.connectedBefore;
		this.hosts.connected();
		follow(link.serverReference());
		this.outage.end(reconnect);
		transition(State.CONNECTED);
		this.connectedBefore = true;
		try {
			this.events.connected(link, reconnect);
		}
		catch (RuntimeException | Error ex) {
			// For example a missing thread. The connection is unusable.
			link.abort(Failures.describe(ex));
		}
		this.attempted = true;
		awaitEnd(link);
		if (link.lost().isDone()) {
			boolean stable = this.backoff.connectedFor(Duration.ofNanos(this.time.nanoTime() - connectedAt));
			return lost(link, link.lost().join(), stable);
		}
		endOnRequest(link);
		return Duration.ZERO;
	}

	/** Waits until a link is lost or must end because the application requests it. */
	private void awaitEnd(Link link) throws InterruptedException {
		CompletableFuture<Void> requested = new CompletableFuture<>();
		this.reconnectRequested = requested;
		if (this.reconnect.get() == null) {
			await(link, CompletableFuture.anyOf(link.lost(), this.stop, requested));
		}
		if (!link.lost().isDone() && !this.stop.isDone()) {
			await(CompletableFuture.anyOf(link.lost(), this.stop, this.events.drain()), DRAIN_TIMEOUT);
		}
	}

	/** Waits until a link ends, and meanwhile authenticates again when that is due. */
	private void await(Link link, CompletableFuture<?> end) throws InterruptedException {
		AuthenticationData authentication = this.authentication;
		if (authentication == null) {
			await(end, null);
			return;
		}
		await(end, authentication.nextCheck());
		while (!end.isDone()) {
			byte[] data = authentication.changed(url());
			if (data != null) {
				authenticateAgain(link, data, authentication, end);
			}
			await(end, authentication.nextCheck());
		}
	}

	/**
	 * Authenticates again, and requests a reconnect with the new data if that fails. A
	 * broker that refuses the data ends the link. A broker that cannot verify the data
	 * yet does not answer: the link is kept while the previous data is valid, because the
	 * broker might refuse a reconnect.
	 */
	private void authenticateAgain(Link link, byte[] data, AuthenticationData authentication, CompletableFuture<?> end)
			throws InterruptedException {
		CompletableFuture<Void> outcome = link.reauthenticate(data);
		await(CompletableFuture.anyOf(outcome, end), this.options.connectTimeout());
		Duration remaining = authentication.remaining();
		if (!outcome.isDone() && !end.isDone() && remaining != null && !remaining.isNegative()) {
			logger.warn(
					"The broker at {} has not answered the authentication with a new token within {}. The connection "
							+ "is kept until the previous token expires. Check why the broker cannot verify tokens",
					url(), this.options.connectTimeout());
			await(CompletableFuture.anyOf(outcome, end), remaining);
		}
		if (outcome.isDone() && !outcome.isCompletedExceptionally()) {
			authentication.sent(data);
			logger.info("Authenticated again at {}, because the token has changed", url());
		}
		else if (!end.isDone()) {
			reconnect("the broker " + (outcome.isDone() ? "did not accept" : "did not answer")
					+ " the authentication with a new token");
		}
	}

	private void endOnRequest(Link link) throws InterruptedException {
		boolean stopped = this.stop.isDone();
		String reason = stopped ? "stopped" : this.reconnect.get();
		this.hosts.ended();
		this.outage.beginOnRequest();
		this.searchingSince = this.time.nanoTime();
		this.attempted = false;
		this.events.disconnected(String.valueOf(reason));
		// The next link resumes the session of a replaced one.
		disconnect(link, stopped);
		logger.info("Disconnected from {} ({})", url(), reason);
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

	private Duration lost(Link link, Throwable cause, boolean stable) {
		boolean another = this.hosts.lost(stable);
		Duration delay = Failures.isTakenOver(cause) ? this.backoff.nextDelayAfterTakeover()
				: delayAfter(cause, another);
		this.outage.beginAfterLoss(cause, delay);
		transition(State.WAITING);
		this.events.disconnected(Failures.describe(cause));
		link.close();
		return delay;
	}

	private Duration failed(Throwable failure) {
		Throwable cause = (failure instanceof ExecutionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		Duration delay = delayAfter(cause, this.hosts.failed(Failures.isAnswer(cause)));
		if (delay.isZero()) {
			this.outage.hostFailed(cause);
		}
		else {
			this.outage.attemptFailed(cause, delay);
			if (this.options.hosts().size() == 1 || !Failures.canEndByElection(cause)) {
				this.attempted = true;
			}
		}
		return delay;
	}

	/**
	 * Returns the delay before the next attempt, and follows a Server Reference.
	 * @param another whether another host has not failed yet
	 */
	private Duration delayAfter(Throwable cause, boolean another) {
		follow(Failures.serverReference(cause));
		return (another && !Failures.isSameAtAllHosts(cause)) ? Duration.ZERO : this.backoff.nextDelay();
	}

	/** Prefers the host that a broker refers to, if it is one of the options. */
	private void follow(@Nullable String serverReference) {
		if (serverReference != null && this.options.hosts().size() > 1 && !this.hosts.prefer(serverReference)) {
			logger.debug("The broker at {} refers this client to {}, which is ignored, because it is no host of {}",
					url(), Failures.shown(serverReference), this.options.url());
		}
	}

	/** Returns the URL of the latest attempt's host. */
	private String url() {
		return this.options.url(this.hosts.current());
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

	/** Waits for a future to complete in any way, or for the timeout. */
	private void await(CompletableFuture<?> future, @Nullable Duration timeout) throws InterruptedException {
		try {
			this.time.get(future, timeout);
		}
		catch (ExecutionException | TimeoutException ex) {
			// The caller checks the outcome.
		}
	}

}
