package io.statestore.client.leader;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.statestore.client.lock.HeldLock;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * A leader's term. {@link #run()} calls the candidate and the event listeners
 * sequentially. Any thread may end the term; only the first reason takes effect.
 */
final class Term implements LeaderContext, Runnable {

	/** Reason why a term ended. */
	enum End {

		LOST("its lock was lost"), YIELDED("it yielded"), STOPPED("its initiator stopped"), FAILED("it failed");

		private final String description;

		End(String description) {
			this.description = description;
		}

		@Override
		public String toString() {
			return this.description;
		}

	}

	/** How long a candidate may continue after its term has ended. */
	static final Duration GRACE = Duration.ofSeconds(5);

	private static final Logger logger = LoggerFactory.getLogger(Term.class);

	private final CompletableFuture<End> end = new CompletableFuture<>();

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/** Calls the candidate. Canceling this task interrupts the call, or prevents it. */
	private final FutureTask<?> leading = new FutureTask<>(this::grant, null);

	private final HeldLock held;

	private final Candidate candidate;

	private final Object source;

	private final LeaderEventPublisher events;

	private final TimeSource time;

	/** Whether {@link Candidate#onGranted} was called. */
	private boolean granted;

	/**
	 * Creates a term.
	 * @param source source of the published events
	 */
	Term(HeldLock held, Candidate candidate, Object source, LeaderEventPublisher events, TimeSource time) {
		this.held = held;
		this.candidate = candidate;
		this.source = source;
		this.events = events;
		this.time = time;
	}

	@Override
	public void run() {
		try {
			if (!this.end.isDone()) {
				lead();
			}
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("A term ended unexpectedly", ex);
		}
		finally {
			this.over.complete(null);
		}
	}

	private void lead() throws ExecutionException {
		log("Leader of {} with token {}", token());
		call("A listener for the events of the leader of {} failed", () -> this.held.call(() -> {
			this.events.publishOnGranted(this.source, this, getRole());
			return true;
		}));
		if (!this.end.isDone()) {
			this.time.untracked(this.leading);
			// If interrupted, the interrupt was meant for the call that has just
			// returned.
			Thread.interrupted();
		}
		End end = this.time.join(this.end);
		log("No longer leader of {}: {}", end);
		if (this.granted) {
			call("The candidate for {} failed when leadership was revoked", () -> this.candidate.onRevoked(this));
		}
		call("A listener for the events of the leader of {} failed",
				() -> this.events.publishOnRevoked(this.source, this, getRole()));
	}

	/**
	 * Logs a message at INFO, or at DEBUG if the candidate is a {@link DefaultCandidate},
	 * because that class already logs its terms.
	 */
	private void log(String message, Object detail) {
		logger.atLevel((this.candidate instanceof DefaultCandidate) ? Level.DEBUG : Level.INFO)
			.log(message, getRole(), detail);
	}

	/** Calls application code, and logs its failure. */
	private void call(String message, Runnable code) {
		try {
			code.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error(message, getRole(), ex);
		}
	}

	private void grant() {
		this.granted = true;
		try {
			this.held.call(() -> {
				this.candidate.onGranted(this);
				return true;
			});
		}
		catch (Throwable ex) {
			// Kotlin candidates can throw undeclared checked exceptions.
			if (end(End.FAILED)) {
				logger.error("The candidate for {} failed; it will be granted leadership again later", getRole(), ex);
			}
			else {
				logger.debug("The candidate for {} ended", getRole(), ex);
			}
		}
	}

	/**
	 * Ends the term, and interrupts {@link Candidate#onGranted} if it is running. The
	 * candidate is revoked once that method has returned.
	 * @return {@code false} if the term had already ended
	 */
	boolean end(End reason) {
		if (!this.end.complete(reason)) {
			return false;
		}
		CompletableFuture.delayedExecutor(GRACE.toMillis(), TimeUnit.MILLISECONDS).execute(this::warnIfNotOver);
		this.leading.cancel(true);
		return true;
	}

	/** Returns why the term ended, or {@code null} if it has not ended. */
	@Nullable End endReason() {
		return this.end.getNow(null);
	}

	/**
	 * Logs a warning if the candidate has not returned, which keeps this process from
	 * leading again.
	 */
	private void warnIfNotOver() {
		if (!this.over.isDone()) {
			logger.warn(
					"The term of the leader of {} ended {} s ago, but its candidate has not returned. This process cannot"
							+ " lead again until onGranted and onRevoked have returned. Return from onGranted when it is"
							+ " interrupted",
					getRole(), GRACE.toSeconds());
		}
	}

	/**
	 * Returns a future that completes after the last candidate and listener calls.
	 */
	CompletableFuture<Void> over() {
		return this.over;
	}

	@Override
	public HeldLock heldLock() {
		return this.held;
	}

	@Override
	public boolean isLeader() {
		return !this.end.isDone() && this.held.isValid();
	}

	@Override
	public void yield() {
		end(End.YIELDED);
	}

	@Override
	public String getRole() {
		return this.candidate.getRole();
	}

	@Override
	public String toString() {
		End end = endReason();
		return "LeaderContext[role=" + getRole() + ", token=" + token() + ", leader=" + isLeader()
				+ ((end != null) ? ", ended: " + end + "]" : "]");
	}

}
