package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.mqtt.ConnectionStatus.RoundTrip;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Topics;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends commands over MQTT 5 and matches replies to them (protocol section 1).
 * Thread-safe; never blocks.
 * <p>
 * Calls wait in order while there is no connection or the maximum number of publishes is
 * in flight. A call that is not sent by its deadline fails with
 * {@link StateStoreNotSentException}. A call in flight fails with
 * {@link StateStoreOutcomeUnknownException} at its deadline, when the connection breaks,
 * or when the application stops. Reads are sent again after a reconnect instead, because
 * they change nothing. Writes are never sent twice. A call fails at most about 20 ms
 * after its deadline.
 * <p>
 * Futures complete on a separate pool with {@value ClientResources#REPLY_THREADS}
 * threads, and more if continuations block in {@code join()} of another future. Blocking
 * continuations therefore do not delay other replies. Threads that wait with
 * {@link #invokeForWaiter} do not depend on that pool. A call whose future is cancelled
 * or completed by its user is no longer pending. If it was sent, it stays in flight until
 * its reply.
 */
public final class MqttCommandInvoker implements CommandInvoker {

	/** Shortest interval of checks for expired deadlines. */
	private static final long MIN_TICK = Duration.ofMillis(20).toNanos();

	/** Longest interval of checks for expired deadlines. */
	private static final long MAX_TICK = Duration.ofSeconds(1).toNanos();

	private static final Logger logger = LoggerFactory.getLogger(MqttCommandInvoker.class);

	private final MqttConnection connection;

	private final LongSupplier clock;

	private final RequestFactory requests;

	private final CallRegistry calls;

	private final RoundTrips roundTrips;

	private final Call.Context context;

	/** Whether any reply has ever arrived. */
	private volatile boolean everReplied;

	private final LongAdder unmatchedReplies = new LongAdder();

	/** The next check of deadlines, {@code null} if none is scheduled. */
	private final AtomicReference<@Nullable Tick> nextTick = new AtomicReference<>();

	/**
	 * Creates an invoker on a connection that is not in use yet.
	 * @param connection the connection, which the first call starts
	 */
	public MqttCommandInvoker(MqttConnection connection) {
		this(connection, connection.resources().time()::nanoTime, connection.resources().time()::currentTimeMillis);
	}

	/**
	 * @param clock monotonic clock in nanoseconds
	 * @param wallClock milliseconds since 1970
	 */
	MqttCommandInvoker(MqttConnection connection, LongSupplier clock, LongSupplier wallClock) {
		this.connection = connection;
		this.clock = clock;
		ConnectionOptions options = connection.options();
		HybridLogicalClock hybridClock = new HybridLogicalClock(RequestFactory.randomNodeId(), wallClock);
		this.requests = new RequestFactory(options, hybridClock);
		this.calls = new CallRegistry(options.maxPending(), options.maxPendingSize());
		this.roundTrips = new RoundTrips(clock, wallClock);
		this.context = new Call.Context(connection, this.requests, new ReplyReader(options, hybridClock), clock,
				this.roundTrips, this.calls);
		connection.addSubscription(Topics.response(connection.getClientId()), true, this::replyArrived);
		connection.addListener(new ConnectionListener() {

			@Override
			public void disconnected(String cause) {
				connectionLost(cause);
			}

			@Override
			public void stopping() {
				applicationStopping();
			}

		});
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return invoke(command, options, this.connection.resources().replies());
	}

	@Override
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return invoke(command, options, Runnable::run);
	}

	@Override
	public Limits limits() {
		return new Limits(this.connection.options().maxPending(), this.connection.options().requestTimeout());
	}

	@Override
	public TimeSource time() {
		return this.connection.resources().time();
	}

	@Override
	public boolean isConnected() {
		return this.connection.isConnected();
	}

	@Override
	public Server server() {
		BrokerAddress address = this.connection.address();
		return new Server(address.host(), address.port());
	}

	private CompletableFuture<Response> invoke(Command command, Options options, Executor completions) {
		Duration timeout = (options.timeout() != null) ? options.timeout() : this.connection.options().requestTimeout();
		if (timeout.isNegative() || timeout.isZero()) {
			throw new IllegalArgumentException("'timeout' must be positive, but is " + timeout);
		}
		StateStoreException refusal = check(command, options);
		if (refusal != null) {
			return CompletableFuture.failedFuture(refusal);
		}
		CompletableFuture<Response> future = new CompletableFuture<>();
		Call call = new Call(this.context, command, options, timeout, future, completions);
		String excess = this.calls.add(call);
		if (excess != null) {
			return CompletableFuture.failedFuture(new StateStoreNotSentException(excess));
		}
		future.whenComplete((response, failure) -> call.abandon());
		this.connection.flow().submit(call);
		if (!this.connection.isInUse()) {
			// The application has stopped the connection since the check above.
			call.stopped();
		}
		call.checkConnection();
		scheduleTick(this.connection.mayFailCalls() ? this.clock.getAsLong() : call.deadline());
		return future;
	}

	/**
	 * Returns the connection that this invoker sends over.
	 * @return the connection
	 */
	public MqttConnection connection() {
		return this.connection;
	}

	/**
	 * Returns the latest round trip, which shows that the store answered. Its reply may
	 * have been a refusal.
	 * @return the round trip, empty before the first reply
	 */
	public Optional<RoundTrip> lastRoundTrip() {
		return this.roundTrips.latest();
	}

	/**
	 * Returns the lead of the clock of the store over the clock of this machine, as of
	 * the latest confirmed SET. It is accurate to half a round trip.
	 * <p>
	 * The clock of the store is a hybrid logical clock, which follows the fastest clock
	 * of all clients (protocol section 4). A lead can therefore be that of another
	 * client, and a clock of this machine that is ahead shows no lag.
	 * @return the lead, negative for a lag; empty before the first confirmed SET
	 */
	public Optional<Duration> clockOffset() {
		return this.roundTrips.clockOffset();
	}

	/**
	 * Returns the number of replies that arrived too late or without a call.
	 * @return the number of replies since the creation of this invoker
	 */
	public long unmatchedReplies() {
		return this.unmatchedReplies.sum();
	}

	/**
	 * Returns the number of calls that wait for room, a connection, or a reply.
	 * @return the number of calls
	 */
	public int pendingCalls() {
		return this.calls.pendingCount();
	}

	/** Returns why a command cannot be sent now, or {@code null} if it can. */
	private @Nullable StateStoreException check(Command command, Options options) {
		StateStoreException refusal = this.requests.check(command, options);
		if (refusal == null && !this.connection.use(isRestarting(command, options))) {
			refusal = new StateStoreNotSentException(this.connection.outage());
		}
		return refusal;
	}

	/**
	 * Returns whether a call connects again after the application has stopped the
	 * connection. Locks and watches, which renew themselves, do not.
	 */
	private static boolean isRestarting(Command command, Options options) {
		return !options.urgent() && !(command instanceof Command.KeyNotify)
				&& !(command instanceof Command.KeyNotifyStop);
	}

	private void replyArrived(LinkMessage reply) {
		if (!this.everReplied) {
			this.everReplied = true;
		}
		Bytes correlationData = reply.correlationData();
		Call call = (correlationData != null) ? this.calls.find(correlationData) : null;
		if (call == null || !call.replied(reply)) {
			this.unmatchedReplies.increment();
			logger.debug("Ignored a reply that no call waits for");
		}
	}

	private void connectionLost(String cause) {
		this.calls.forEach((call) -> call.connectionLost(cause));
		if (!this.calls.isEmpty() && this.connection.mayFailCalls()) {
			scheduleTick(this.clock.getAsLong());
		}
	}

	private void applicationStopping() {
		this.calls.forEach(Call::stopped);
	}

	/**
	 * Schedules a check unless one is scheduled up to then.
	 * @param at time of the check, in nanoseconds
	 */
	private void scheduleTick(long at) {
		Tick next = this.nextTick.get();
		if (next != null && next.at - at <= 0) {
			return;
		}
		long now = this.clock.getAsLong();
		long delay = Math.max(MIN_TICK, Math.min(at - now, MAX_TICK));
		Tick tick = new Tick(now + delay);
		while (next == null || next.at - tick.at > 0) {
			if (this.nextTick.compareAndSet(next, tick)) {
				schedule(tick, delay);
				return;
			}
			next = this.nextTick.get();
		}
	}

	private void schedule(Tick tick, long delay) {
		try {
			this.connection.resources().timer().schedule(() -> tick(tick), delay, TimeUnit.NANOSECONDS);
		}
		catch (RuntimeException | Error ex) {
			// For example a missing thread. The next call tries again.
			this.nextTick.compareAndSet(tick, null);
			throw ex;
		}
	}

	private void tick(Tick tick) {
		// An earlier check may have replaced this one.
		if (this.nextTick.compareAndSet(tick, null)) {
			checkCalls();
		}
	}

	/** Checks the deadlines of all calls, and schedules the next check. */
	void checkCalls() {
		long next;
		try {
			long now = this.clock.getAsLong();
			long pause = this.connection.mayFailCalls() ? 0 : MAX_TICK;
			next = now + this.calls.min((call) -> call.check(now, this.everReplied), pause);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Failed to check the deadlines of calls; the next check follows", ex);
			next = this.clock.getAsLong();
		}
		if (!this.calls.isEmpty()) {
			scheduleTick(next);
		}
	}

	/** A scheduled check, compared by identity. */
	private static final class Tick {

		/** Time of the check, in nanoseconds. */
		private final long at;

		Tick(long at) {
			this.at = at;
		}

	}

}
