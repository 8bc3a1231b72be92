package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.client.mqtt.internal.LinkMessage.Acknowledgment;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * A command from its submission to the completion of its future. It finishes once, with a
 * reply, a refusal, its deadline, or the loss of the connection. Its user can finish it
 * earlier by completing the future. Thread-safe.
 */
final class Call implements FlowControl.Outgoing {

	/** A century, which both nanoseconds and the Message Expiry Interval can hold. */
	private static final Duration MAX_TIMEOUT = Duration.ofDays(36_500);

	/**
	 * Maximum time after the deadline for which the broker may still deliver a request,
	 * because the Message Expiry Interval is rounded up to whole seconds.
	 */
	private static final Duration MAX_LATENESS = Duration.ofSeconds(1);

	/**
	 * Maximum time for which an abandoned call keeps its place among the calls in flight.
	 * A call with a long timeout would otherwise keep it until its deadline.
	 */
	private static final Duration MAX_ABANDONED = Duration.ofSeconds(60);

	private final Calls calls;

	private final Class<? extends Command> type;

	/** Name of the command. */
	private final String verb;

	private final byte[] payload;

	private final Options options;

	private final Duration timeout;

	/** Time at which the call fails, in nanoseconds. */
	private final long deadline;

	private final CompletableFuture<Response> future;

	/** Completes the future. */
	private final Executor completions;

	private final AtomicBoolean finished = new AtomicBoolean();

	/** Identifies the next reply. Each request has its own. */
	private volatile Bytes correlationData;

	/**
	 * The request in flight, {@code null} before it is sent and after a lost connection.
	 */
	private volatile @Nullable Attempt attempt;

	private volatile boolean everSent;

	/** Time at which this call was abandoned, in nanoseconds. */
	private volatile long abandonedAt;

	/**
	 * @param timeout maximum time until the reply
	 * @param future completed with the reply or with the failure
	 * @param completions completes the future
	 */
	Call(Calls calls, Command command, Options options, Duration timeout, CompletableFuture<Response> future,
			Executor completions) {
		this.calls = calls;
		this.type = command.getClass();
		this.verb = Commands.verb(command);
		this.payload = Commands.encode(command);
		this.correlationData = calls.requests().nextCorrelationData();
		this.options = options;
		this.timeout = timeout;
		this.deadline = calls.now() + ((timeout.compareTo(MAX_TIMEOUT) < 0) ? timeout : MAX_TIMEOUT).toNanos();
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

	Bytes correlationData() {
		return this.correlationData;
	}

	/** Returns whether the command changes nothing, so that it may be sent again. */
	private boolean isRead() {
		return Command.Read.class.isAssignableFrom(this.type);
	}

	private CallFailures failures() {
		return new CallFailures(this.verb, this.timeout, this.calls.connection());
	}

	@Override
	public @Nullable Submission send(Link link) {
		if (this.finished.get()) {
			return null;
		}
		long now = this.calls.now();
		Duration remaining = Duration.ofNanos(this.deadline - now);
		if (remaining.isNegative() || remaining.isZero()) {
			fail(failures().notSentInTime());
			return null;
		}
		Submission submission = null;
		try {
			NettyMessages.Outgoing request = this.calls.requests()
				.message(this.payload, this.options, this.correlationData, remaining, link.limits());
			this.attempt = new Attempt(link, now);
			submission = link.inFlight().publish(request, this.attempt);
			this.everSent |= submission == Submission.ACCEPTED;
		}
		catch (StateStoreInvalidRequestException ex) {
			fail(ex);
		}
		catch (RuntimeException ex) {
			fail(failures().notTaken(ex));
		}
		if (submission != Submission.ACCEPTED) {
			this.attempt = null;
		}
		return submission;
	}

	/**
	 * Handles the reply.
	 * @return whether the reply finished this call
	 */
	boolean replied(LinkMessage reply) {
		Attempt attempt = this.attempt;
		RoundTrips.Arrival arrival = this.calls.roundTrips()
			.replied((attempt != null) ? attempt.sentAt : this.calls.now());
		boolean inTime = finish(Ending.SETTLED);
		if (inTime) {
			complete(() -> read(reply, arrival));
		}
		else {
			settle();
		}
		return inTime;
	}

	private void read(LinkMessage reply, RoundTrips.Arrival arrival) {
		try {
			Response response = this.calls.replies().read(this.verb, isRead(), this.payload, reply);
			this.calls.roundTrips().read(this.type, response, arrival);
			this.future.complete(response);
		}
		catch (StateStoreException ex) {
			this.future.completeExceptionally(ex);
		}
		catch (RuntimeException | Error ex) {
			String text = "The reply to " + this.verb + " could not be read";
			this.future.completeExceptionally(
					isRead() ? new StateStoreException(text, ex) : new StateStoreOutcomeUnknownException(text, ex));
		}
	}

	/** Fails this call if it would have to wait for a connection and must not. */
	void checkConnection() {
		if (isUrgent() || this.finished.get() || !this.calls.connection().failsCalls()
				|| !this.calls.flow().withdraw(this)) {
			return;
		}
		fail(failures().disconnected(this.everSent));
	}

	/** Returns the time at which this call fails, in nanoseconds. */
	long deadline() {
		return this.deadline;
	}

	/**
	 * Fails this call if its deadline has passed, or if it would have to wait for a
	 * connection and must not. Settles an abandoned call that has waited long enough.
	 * @param everReplied whether any call has ever been answered
	 * @return the time to the deadline in nanoseconds, of an abandoned call the maximum
	 */
	long check(long now, boolean everReplied) {
		if (this.finished.get()) {
			checkAbandoned(now);
			return Long.MAX_VALUE;
		}
		checkDeadline(now, everReplied);
		checkConnection();
		return this.deadline - now;
	}

	private void checkDeadline(long now, boolean everReplied) {
		if (now - this.deadline < 0) {
			return;
		}
		// Only the withdrawal ensures that no other thread is sending this call.
		if (this.calls.flow().withdraw(this)) {
			fail(this.everSent ? failures().notSentAgainInTime() : failures().notSentInTime());
			return;
		}
		Attempt attempt = this.attempt;
		if (attempt != null) {
			fail(failures().unanswered(attempt.acknowledged, everReplied), Ending.ABANDONED);
		}
	}

	/**
	 * Settles this abandoned call once the broker has dropped an unread request, or after
	 * {@link #MAX_ABANDONED}.
	 */
	private void checkAbandoned(long now) {
		if (now - this.deadline >= MAX_LATENESS.toNanos() || now - this.abandonedAt >= MAX_ABANDONED.toNanos()) {
			settle();
		}
	}

	/**
	 * Handles the loss of the connection. A read is sent again; a write in flight fails.
	 * A call that waits for the next connection fails if it must not.
	 */
	void connectionLost(String cause) {
		if (!this.finished.get()) {
			endAttempt(cause);
			checkConnection();
		}
		if (this.finished.get()) {
			// Also if its user has finished it meanwhile.
			settle();
		}
	}

	private void endAttempt(String cause) {
		Attempt attempt = this.attempt;
		if (attempt == null) {
			return;
		}
		if (!isRead()) {
			fail(failures().connectionLost(cause));
			return;
		}
		this.attempt = null;
		Bytes next = this.calls.requests().nextCorrelationData();
		this.calls.resending(this, next);
		this.correlationData = next;
		this.calls.flow().submit(this);
		if (!this.calls.connection().isInUse()) {
			stopped();
		}
	}

	/** Fails this call because the application stops the connection. */
	void stopped() {
		if (this.finished.get()) {
			settle();
		}
		else if (this.calls.flow().withdraw(this) && !this.everSent) {
			fail(failures().disconnected(false));
		}
		else if (this.everSent || this.attempt != null) {
			fail(failures().disconnected(true));
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
			complete(() -> this.future.completeExceptionally(failure));
		}
	}

	/** Completes the future, and thereby calls user code. */
	private void complete(Runnable completion) {
		this.calls.flow().runUnlocked(() -> this.completions.execute(completion));
	}

	/** Finishes this call, and returns whether it was unfinished before. */
	private boolean finish(Ending ending) {
		if (ending == Ending.ABANDONED && !this.finished.get()) {
			// Before others see that it is abandoned.
			this.abandonedAt = this.calls.now();
		}
		if (!this.finished.compareAndSet(false, true)) {
			return false;
		}
		// The withdrawal waits for a thread that is sending this call.
		if (ending == Ending.SETTLED || this.calls.flow().withdraw(this) || this.attempt == null) {
			settle();
		}
		this.calls.finished(this);
		return true;
	}

	/** Frees the place of this call among the calls in flight. */
	void settle() {
		this.calls.flow().ended(this);
		this.calls.settled(this);
	}

	/** Effect of the end of a call on its place among the calls in flight. */
	private enum Ending {

		/** The store has processed the request, or will never receive it. */
		SETTLED,

		/** The store may still have to process the request. */
		ABANDONED

	}

	/** The request on one connection, which also receives its PUBACK. */
	private final class Attempt implements Acknowledgment {

		private final Link link;

		private final long sentAt;

		private volatile boolean acknowledged;

		Attempt(Link link, long sentAt) {
			this.link = link;
			this.sentAt = sentAt;
		}

		@Override
		public void acknowledged(int... codes) {
			int code = codes[0];
			this.acknowledged = true;
			Call.this.calls.flow().release(this.link, Call.this);
			if (Call.this.attempt != this) {
				// Late: the connection was lost, and the next one sends the request.
				return;
			}
			if (code == ReasonCode.NO_MATCHING_SUBSCRIBERS) {
				refused(failures().noSubscriber());
			}
			else if (ReasonCode.isFailure(code)) {
				refused(failures().refused(code));
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
