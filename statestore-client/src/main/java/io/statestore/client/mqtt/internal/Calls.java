package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionStatus.RoundTrip;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of a connection, until the store no longer has to process them. Sends
 * commands over MQTT 5 and matches replies to them (protocol section 1), as documented at
 * {@code StateStoreConnection}. Limits the calls that wait for room, a connection, or a
 * reply. Urgent calls have a separate limit, so that neither kind of call can displace
 * the other. Thread-safe; never blocks.
 */
public final class Calls {

	/** Shortest interval of checks for expired deadlines. */
	private static final long MIN_TICK = Duration.ofMillis(20).toNanos();

	/** Longest interval of checks for expired deadlines. */
	private static final long MAX_TICK = Duration.ofSeconds(1).toNanos();

	private static final Logger logger = LoggerFactory.getLogger(Calls.class);

	private final MqttConnection connection;

	private final LongSupplier clock;

	private final RequestFactory requests;

	private final ReplyReader replies;

	private final RoundTrips roundTrips;

	/** Unfinished and abandoned calls, by the correlation data of their next reply. */
	private final ConcurrentHashMap<Bytes, Call> calls = new ConcurrentHashMap<>();

	/** Number of unfinished ordinary calls. */
	private final AtomicInteger ordinary = new AtomicInteger();

	/** Number of unfinished urgent calls. */
	private final AtomicInteger urgent = new AtomicInteger();

	/** Size of the unfinished ordinary calls in bytes. */
	private final AtomicLong ordinaryBytes = new AtomicLong();

	/** Whether any reply has ever arrived. */
	private volatile boolean everReplied;

	private final LongAdder unmatchedReplies = new LongAdder();

	/** The next check of deadlines, {@code null} if none is scheduled. */
	private final AtomicReference<@Nullable Tick> nextTick = new AtomicReference<>();

	/**
	 * Creates the calls of a connection that is not in use yet.
	 * @param connection the connection, which the first call starts
	 */
	public Calls(MqttConnection connection) {
		this(connection, connection.resources().time()::nanoTime, connection.resources().time()::currentTimeMillis);
	}

	/**
	 * @param clock monotonic clock in nanoseconds
	 * @param wallClock milliseconds since 1970
	 */
	Calls(MqttConnection connection, LongSupplier clock, LongSupplier wallClock) {
		this.connection = connection;
		this.clock = clock;
		ConnectionOptions options = connection.options();
		HybridLogicalClock hybridClock = new HybridLogicalClock(RequestFactory.randomNodeId(), wallClock);
		this.requests = new RequestFactory(options, hybridClock);
		this.replies = new ReplyReader(options, hybridClock);
		this.roundTrips = new RoundTrips(clock, wallClock);
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

	/**
	 * Sends a command.
	 * @param command the command
	 * @param options the options of the call
	 * @return a future that completes on the executor for replies
	 */
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return invoke(command, options, this.connection.completions());
	}

	/**
	 * Sends a command for a thread that waits for the reply.
	 * @param command the command
	 * @param options the options of the call
	 * @return a future that may complete on any thread
	 */
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return invoke(command, options, Runnable::run);
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
		Call call = new Call(this, command, options, timeout, future, completions);
		String excess = add(call);
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
	 * Adds a call unless it would exceed a limit. A call larger than the limit is
	 * accepted if no other call is pending.
	 * @return {@code null} if it was added, otherwise the reason
	 */
	private @Nullable String add(Call call) {
		int maxCount = this.connection.options().maxPending();
		AtomicInteger count = countOf(call);
		if (count.incrementAndGet() > maxCount) {
			count.decrementAndGet();
			return maxCount + " calls are pending: " + text(ConnectionDiagnosis.TOO_MANY_CALLS);
		}
		long maxBytes = this.connection.options().maxPendingSize();
		if (!call.isUrgent() && !addBytes(call.size(), maxBytes)) {
			count.decrementAndGet();
			return "A call of " + call.size() + " bytes does not fit, as pending calls may have " + maxBytes
					+ " bytes together: " + text(ConnectionDiagnosis.TOO_MANY_BYTES);
		}
		this.calls.put(call.correlationData(), call);
		return null;
	}

	private boolean addBytes(int size, long max) {
		long before;
		do {
			before = this.ordinaryBytes.get();
			if (before > 0 && before + size > max) {
				return false;
			}
		}
		while (!this.ordinaryBytes.compareAndSet(before, before + size));
		return true;
	}

	private static String text(ConnectionDiagnosis diagnosis) {
		return diagnosis.cause() + ". " + diagnosis.nextStep();
	}

	private AtomicInteger countOf(Call call) {
		return call.isUrgent() ? this.urgent : this.ordinary;
	}

	/**
	 * Called before a call changes its correlation data, because a reply to its earlier
	 * request must not reach it.
	 */
	void resending(Call call, Bytes correlationData) {
		this.calls.put(correlationData, call);
		this.calls.remove(call.correlationData());
	}

	/** Called once, when a call finishes. It remains until it is settled. */
	void finished(Call call) {
		countOf(call).decrementAndGet();
		if (!call.isUrgent()) {
			this.ordinaryBytes.addAndGet(-call.size());
		}
	}

	/** Removes a call that the store no longer has to process. */
	void settled(Call call) {
		this.calls.remove(call.correlationData());
	}

	MqttConnection connection() {
		return this.connection;
	}

	FlowControl flow() {
		return this.connection.flow();
	}

	RequestFactory requests() {
		return this.requests;
	}

	ReplyReader replies() {
		return this.replies;
	}

	/** Returns the monotonic time in nanoseconds. */
	long now() {
		return this.clock.getAsLong();
	}

	RoundTrips roundTrips() {
		return this.roundTrips;
	}

	/**
	 * Returns the latest round trip.
	 * @return the round trip, empty before the first reply
	 */
	public Optional<RoundTrip> lastRoundTrip() {
		return this.roundTrips.latest();
	}

	/**
	 * Returns how far the store's clock is ahead, as of the latest confirmed SET.
	 * @return the lead, negative for a lag; empty before the first confirmed SET
	 */
	public Optional<Duration> clockOffset() {
		return this.roundTrips.clockOffset();
	}

	/**
	 * Returns the number of replies that arrived too late or without a call.
	 * @return the number since the creation of this object
	 */
	public long unmatchedReplies() {
		return this.unmatchedReplies.sum();
	}

	/**
	 * Returns the number of unfinished calls of both kinds.
	 * @return the number of calls
	 */
	public int pending() {
		return this.ordinary.get() + this.urgent.get();
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
		Call call = (correlationData != null) ? this.calls.get(correlationData) : null;
		if (call == null || !call.replied(reply)) {
			this.unmatchedReplies.increment();
			logger.debug("Ignored a reply that no call waits for");
		}
	}

	private void connectionLost(String cause) {
		this.calls.values().forEach((call) -> call.connectionLost(cause));
		if (!this.calls.isEmpty() && this.connection.mayFailCalls()) {
			scheduleTick(this.clock.getAsLong());
		}
	}

	private void applicationStopping() {
		this.calls.values().forEach(Call::stopped);
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
			next = now + this.calls.values()
				.stream()
				.mapToLong((call) -> call.check(now, this.everReplied))
				.reduce(pause, Math::min);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Failed to check the timeouts of calls; trying again at the next check", ex);
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
