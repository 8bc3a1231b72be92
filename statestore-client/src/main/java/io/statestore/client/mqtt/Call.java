package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Topics;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;

/**
 * One command on its way: waiting, sent, finished. Finished exactly once, by whichever
 * comes first of reply, refusal, deadline, loss of the connection and its user.
 */
final class Call implements FlowControl.Outgoing {

	/** A century: both nanoseconds and the message expiry of MQTT hold it. */
	private static final Duration MAX_TIMEOUT = Duration.ofDays(36_500);

	/**
	 * Time after its deadline at which the broker has dropped a request that no store has
	 * received: the message expiry is rounded up to whole seconds.
	 */
	private static final Duration MAX_LATENESS = Duration.ofSeconds(1);

	/**
	 * Longest time for which an abandoned call keeps its place among the calls in flight.
	 * A call with a long timeout would otherwise keep it until its deadline.
	 */
	private static final Duration MAX_ABANDONED = Duration.ofSeconds(60);

	private final MqttCommandInvoker invoker;

	private final String verb;

	/** A read changes nothing and may be sent again. */
	private final boolean read;

	private final byte[] payload;

	private final Options options;

	private final CallFailures failures;

	private final long deadline;

	private final CompletableFuture<Response> future;

	/** Where the future completes. */
	private final Executor completions;

	private final AtomicBoolean finished = new AtomicBoolean();

	/** Set from the time the request is with Paho to the loss of its connection. */
	private volatile @Nullable Attempt attempt;

	private volatile boolean everSent;

	/** Time at which this call was abandoned, in nanoseconds. */
	private volatile long abandonedAt;

	Call(MqttCommandInvoker invoker, Command command, Options options, Duration timeout, long now,
			CompletableFuture<Response> future, Executor completions) {
		this.invoker = invoker;
		this.verb = command.getClass().getSimpleName().toUpperCase(Locale.ROOT);
		this.read = command instanceof Command.Get || command instanceof Command.Scan;
		this.payload = Commands.encode(command);
		this.options = options;
		this.failures = new CallFailures(this.verb, timeout, invoker.connection());
		this.deadline = now + ((timeout.compareTo(MAX_TIMEOUT) < 0) ? timeout : MAX_TIMEOUT).toNanos();
		this.future = future;
		this.completions = completions;
	}

	@Override
	public boolean isUrgent() {
		return this.options.urgent();
	}

	@Override
	public int size() {
		return this.payload.length;
	}

	@Override
	public boolean awaitsReply() {
		return true;
	}

	@Override
	public FlowControl.Outcome send(Link link) {
		if (this.finished.get()) {
			return FlowControl.Outcome.DROPPED;
		}
		Duration remaining = Duration.ofNanos(this.deadline - this.invoker.now());
		if (remaining.isNegative() || remaining.isZero()) {
			fail(this.failures.notSentInTime());
			return FlowControl.Outcome.DROPPED;
		}
		RequestFactory requests = this.invoker.requests();
		Attempt attempt = new Attempt(link, requests.nextCorrelationData());
		MqttMessage message;
		try {
			message = requests.message(this.payload, this.options, attempt.correlationData, remaining,
					link.maximumPacketSize());
		}
		catch (StateStoreInvalidRequestException ex) {
			fail(ex);
			return FlowControl.Outcome.DROPPED;
		}
		this.attempt = attempt;
		this.invoker.expectReply(attempt.correlationData, this);
		try {
			link.publish(Topics.REQUEST, message, attempt);
			this.everSent = true;
			return FlowControl.Outcome.SENT;
		}
		catch (MqttException | RuntimeException ex) {
			this.attempt = null;
			this.invoker.forgetReply(attempt.correlationData);
			return notTaken(ex);
		}
	}

	private FlowControl.Outcome notTaken(Exception failure) {
		if (failure instanceof MqttException mqtt) {
			switch (mqtt.getReasonCode()) {
				case MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED,
						MqttClientException.REASON_CODE_CLIENT_DISCONNECTING,
						MqttClientException.REASON_CODE_CLIENT_CLOSED:
					return FlowControl.Outcome.NOT_CONNECTED;
				case MqttClientException.REASON_CODE_MAX_INFLIGHT,
						MqttClientException.REASON_CODE_NO_MESSAGE_IDS_AVAILABLE:
					return FlowControl.Outcome.NO_ROOM;
				default:
			}
		}
		fail(this.failures.notTaken(failure));
		return FlowControl.Outcome.DROPPED;
	}

	/**
	 * Handles the reply.
	 * @return whether the reply came in time
	 */
	boolean replied(MqttMessage message) {
		boolean inTime = finish(Ending.SETTLED);
		if (inTime) {
			this.completions.execute(() -> read(message));
		}
		else {
			settle();
		}
		return inTime;
	}

	private void read(MqttMessage message) {
		try {
			this.future.complete(this.invoker.replies().read(this.verb, this.read, message));
		}
		catch (StateStoreException ex) {
			this.future.completeExceptionally(ex);
		}
		catch (RuntimeException | Error ex) {
			String text = "The reply to " + this.verb + " could not be read";
			this.future.completeExceptionally(
					this.read ? new StateStoreException(text, ex) : new StateStoreOutcomeUnknownException(text, ex));
		}
	}

	/** Fails this call if there is no connection and the options are not to wait. */
	void checkConnection() {
		if (isUrgent() || this.finished.get() || !this.invoker.connection().failsCalls()
				|| !this.invoker.connection().flow().withdraw(this)) {
			return;
		}
		fail(this.failures.disconnected(this.everSent));
	}

	void checkDeadline(long now) {
		if (now - this.deadline < 0 || this.finished.get()) {
			return;
		}
		// Only what was taken out of the queue is sure not to be on its way by now.
		if (this.invoker.connection().flow().withdraw(this)) {
			fail(this.everSent ? this.failures.notSentAgainInTime() : this.failures.notSentInTime());
			return;
		}
		Attempt attempt = this.attempt;
		if (attempt != null) {
			fail(this.failures.unanswered(attempt.acknowledged, this.invoker.hasReplied()), Ending.ABANDONED);
		}
	}

	/**
	 * Settles this abandoned call once the broker has dropped an unread request, or after
	 * {@link #MAX_ABANDONED}.
	 */
	void checkAbandoned(long now) {
		if (now - this.deadline >= MAX_LATENESS.toNanos() || now - this.abandonedAt >= MAX_ABANDONED.toNanos()) {
			settle();
		}
	}

	void connectionLost(String cause) {
		Attempt attempt = this.attempt;
		if (attempt == null) {
			return;
		}
		if (this.read) {
			this.attempt = null;
			this.invoker.forgetReply(attempt.correlationData);
			this.invoker.connection().flow().submit(this);
			if (this.finished.get()) {
				this.invoker.connection().flow().withdraw(this);
			}
			else if (!this.invoker.connection().isInUse()) {
				stopped();
			}
			return;
		}
		fail(this.failures.connectionLost(cause));
	}

	void stopped() {
		if (this.invoker.connection().flow().withdraw(this) && !this.everSent) {
			fail(this.failures.disconnected(false));
		}
		else if (this.everSent || this.attempt != null) {
			fail(this.failures.disconnected(true));
		}
	}

	/** Handles the completion of the future, by its user or by this call. */
	void abandon() {
		finish(Ending.ABANDONED);
	}

	private void fail(StateStoreException failure) {
		fail(failure, Ending.SETTLED);
	}

	private void fail(StateStoreException failure, Ending ending) {
		if (finish(ending)) {
			this.completions.execute(() -> this.future.completeExceptionally(failure));
		}
	}

	private boolean finish(Ending ending) {
		if (!this.finished.compareAndSet(false, true)) {
			return false;
		}
		// The withdrawal waits until a thread that is sending this call has done so.
		if (ending == Ending.ABANDONED && !this.invoker.connection().flow().withdraw(this) && this.attempt != null) {
			this.abandonedAt = this.invoker.now();
			this.invoker.abandoned(this);
		}
		else {
			settle();
		}
		this.invoker.finished(this);
		return true;
	}

	/** Frees the place of this call among the calls in flight. */
	void settle() {
		Attempt attempt = this.attempt;
		if (attempt != null) {
			this.invoker.forgetReply(attempt.correlationData);
		}
		this.invoker.connection().flow().ended(this);
		this.invoker.settled(this);
	}

	/** What the end of a call means for its place among the calls in flight. */
	private enum Ending {

		/** The store is done with the request, or will never receive it. */
		SETTLED,

		/** The store may still have to process the request. */
		ABANDONED

	}

	/** The request on one connection; also told about its PUBACK. */
	private final class Attempt implements Link.Acknowledgement {

		private final Link link;

		private final Bytes correlationData;

		private volatile boolean acknowledged;

		Attempt(Link link, Bytes correlationData) {
			this.link = link;
			this.correlationData = correlationData;
		}

		@Override
		public void acknowledged(int code) {
			this.acknowledged = true;
			Call.this.invoker.connection().flow().release(this.link, Call.this);
			if (Call.this.attempt != this) {
				// Late: the connection was lost, and the request is sent by the next one.
				return;
			}
			if (code == ReasonCode.NO_MATCHING_SUBSCRIBERS) {
				refused(Call.this.failures.noSubscriber());
			}
			else if (ReasonCode.isFailure(code)) {
				refused(Call.this.failures.refused(code));
			}
		}

		private void refused(StateStoreException refusal) {
			if (Call.this.finished.get()) {
				settle();
			}
			fail(refusal);
		}

	}

}
