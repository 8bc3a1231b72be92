package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Topics;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends commands over MQTT 5 and finds the reply to each (protocol section 1). Safe for
 * use by several threads; never blocks.
 * <p>
 * Without a connection, or while the maximum number of publishes is in flight, calls wait
 * in order. A call that is not sent by its deadline fails with
 * {@link StateStoreNotSentException}. A call that was sent fails with
 * {@link StateStoreOutcomeUnknownException} at its deadline, when the connection breaks
 * and when the application stops; reads are sent again after a reconnect instead, because
 * that is harmless. Writes are never sent twice. Deadlines are noticed within
 * {@value #TICK_MILLIS} ms.
 * <p>
 * Futures complete on a pool of their own with {@value ClientResources#REPLY_THREADS}
 * threads, and more if continuations block in {@code join()} of another future. Many
 * continuations may block without delaying other replies. Threads that wait with
 * {@link #invokeForWaiter} do not depend on that pool. A call whose future is cancelled
 * or completed by its user is no longer pending. If it was sent, it stays in flight until
 * its reply.
 */
public final class MqttCommandInvoker implements CommandInvoker {

	static final int TICK_MILLIS = 20;

	private static final Logger logger = LoggerFactory.getLogger(MqttCommandInvoker.class);

	private final StateStoreConnection connection;

	private final LongSupplier clock;

	private final RequestFactory requests;

	private final ReplyReader replies;

	/** All calls that are not finished. */
	private final Set<Call> live = ConcurrentHashMap.newKeySet();

	/**
	 * Calls that have ended while the store may still have to process them. Each keeps
	 * its place among the calls in flight until its reply, a second after its deadline, a
	 * refusal by the broker, or the loss of the connection.
	 */
	private final Set<Call> abandoned = ConcurrentHashMap.newKeySet();

	private final PendingCalls pending;

	/** Those that were sent, by correlation data. */
	private final ConcurrentHashMap<Bytes, Call> sent = new ConcurrentHashMap<>();

	/** Whether any reply has ever arrived. */
	private volatile boolean replied;

	private final LongAdder unmatchedReplies = new LongAdder();

	private final AtomicBoolean ticking = new AtomicBoolean();

	/**
	 * Creates an invoker on a connection that is not in use yet.
	 * @param connection the connection, which the first call starts
	 */
	public MqttCommandInvoker(StateStoreConnection connection) {
		this(connection, connection.resources().clock(), System::currentTimeMillis);
	}

	MqttCommandInvoker(StateStoreConnection connection, LongSupplier clock, LongSupplier wallClock) {
		this.connection = connection;
		this.clock = clock;
		HybridLogicalClock hybridClock = new HybridLogicalClock(RequestFactory.randomNodeId(), wallClock);
		this.requests = new RequestFactory(connection.options(), hybridClock);
		this.replies = new ReplyReader(connection.options(), hybridClock);
		this.pending = new PendingCalls(connection.options().maxPending(), connection.options().maxPendingSize());
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

	private CompletableFuture<Response> invoke(Command command, Options options, Executor completions) {
		Duration timeout = (options.timeout() != null) ? options.timeout() : this.connection.options().requestTimeout();
		if (timeout.isNegative() || timeout.isZero()) {
			throw new IllegalArgumentException("'timeout' must be positive, but is " + timeout);
		}
		CompletableFuture<Response> future = new CompletableFuture<>();
		StateStoreException refusal = refuse(command, options);
		if (refusal != null) {
			future.completeExceptionally(refusal);
			return future;
		}
		Call call = new Call(this, command, options, timeout, this.clock.getAsLong(), future, completions);
		String excess = this.pending.add(call);
		if (excess != null) {
			future.completeExceptionally(new StateStoreNotSentException(excess));
			return future;
		}
		this.live.add(call);
		future.whenComplete((response, failure) -> call.abandon());
		this.connection.flow().submit(call);
		if (!this.connection.isInUse()) {
			// Stopped after the check above.
			call.stopped();
		}
		call.checkConnection();
		scheduleTick();
		return future;
	}

	/**
	 * Returns the number of replies that arrived too late or without a call.
	 * @return the number of replies
	 */
	public long unmatchedReplies() {
		return this.unmatchedReplies.sum();
	}

	/** Calls that wait for room, a connection or a reply. */
	public int pendingCalls() {
		return this.pending.count();
	}

	private @Nullable StateStoreException refuse(Command command, Options options) {
		StateStoreException refusal = this.requests.check(command, options);
		if (refusal == null && !this.connection.use(isRestarting(command, options))) {
			refusal = new StateStoreNotSentException(this.connection.outage());
		}
		return refusal;
	}

	/**
	 * Returns whether a call connects again after the application has stopped the
	 * connection. Locks and observations, which renew themselves, do not.
	 */
	private static boolean isRestarting(Command command, Options options) {
		return !options.urgent() && !(command instanceof Command.KeyNotify)
				&& !(command instanceof Command.KeyNotifyStop);
	}

	/** Returns whether any reply has ever arrived. */
	boolean hasReplied() {
		return this.replied;
	}

	private void replyArrived(String topic, MqttMessage message) {
		if (!this.replied) {
			this.replied = true;
		}
		byte[] correlationData = message.getProperties().getCorrelationData();
		Call call = (correlationData != null) ? this.sent.remove(Bytes.wrap(correlationData)) : null;
		if (call == null || !call.replied(message)) {
			this.unmatchedReplies.increment();
			logger.debug("Ignored a reply that no call waits for");
		}
	}

	private void connectionLost(String cause) {
		this.abandoned.forEach(Call::settle);
		this.live.forEach((call) -> {
			call.connectionLost(cause);
			call.checkConnection();
		});
	}

	private void applicationStopping() {
		this.live.forEach(Call::stopped);
		this.abandoned.forEach(Call::settle);
	}

	private void scheduleTick() {
		if (!this.ticking.compareAndSet(false, true)) {
			return;
		}
		try {
			this.connection.resources().timer().schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RuntimeException | Error ex) {
			// For example for lack of threads. The next call tries again.
			this.ticking.set(false);
			throw ex;
		}
	}

	private void tick() {
		try {
			long now = this.clock.getAsLong();
			this.live.forEach((call) -> {
				call.checkDeadline(now);
				call.checkConnection();
			});
			this.abandoned.forEach((call) -> call.checkAbandoned(now));
		}
		catch (RuntimeException | Error ex) {
			logger.error("The deadlines of calls could not be checked; the next check follows", ex);
		}
		finally {
			this.ticking.set(false);
			if (!this.live.isEmpty() || !this.abandoned.isEmpty()) {
				scheduleTick();
			}
		}
	}

	StateStoreConnection connection() {
		return this.connection;
	}

	RequestFactory requests() {
		return this.requests;
	}

	ReplyReader replies() {
		return this.replies;
	}

	void expectReply(Bytes correlationData, Call call) {
		this.sent.put(correlationData, call);
	}

	void forgetReply(Bytes correlationData) {
		this.sent.remove(correlationData);
	}

	void abandoned(Call call) {
		this.abandoned.add(call);
	}

	void settled(Call call) {
		this.abandoned.remove(call);
	}

	void finished(Call call) {
		if (this.live.remove(call)) {
			this.pending.remove(call);
		}
	}

	long now() {
		return this.clock.getAsLong();
	}

}
