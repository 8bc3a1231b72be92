package io.statestore.client.leader;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.lock.HeldLock;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;

/**
 * One term of a leader. {@link #run()} calls the candidate and the event listeners one
 * after the other. Any thread may end the term; only the first reason takes effect.
 */
final class Term implements LeaderContext, Runnable {

	/** Reason of the end of a term. */
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

	/** Time for which a candidate may continue after the end of its term. */
	static final Duration GRACE = Duration.ofSeconds(5);

	private static final Logger logger = LoggerFactory.getLogger(Term.class);

	private final CompletableFuture<End> end = new CompletableFuture<>();

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/** Ensures that an interrupt only reaches {@link Candidate#onGranted}. */
	private final ReentrantLock interruptGuard = new ReentrantLock();

	private final HeldLock held;

	private final Candidate candidate;

	private final TermEvents events;

	private final TimeSource time;

	/** Thread that runs {@link Candidate#onGranted}, {@code null} otherwise. */
	private @Nullable Thread leading;

	Term(HeldLock held, Candidate candidate, TermEvents events, TimeSource time) {
		this.held = held;
		this.candidate = candidate;
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
		finally {
			this.over.complete(null);
		}
	}

	private void lead() {
		log("Leader of {} with token {}", token());
		this.held.call(() -> {
			this.events.granted(this);
			return true;
		});
		boolean granted = beginLeading();
		if (granted) {
			this.time.untracked(this::grant);
		}
		End end = Waits.join(this.end, this.time);
		log("No longer leader of {}: {}", end);
		if (granted) {
			revoke();
		}
		this.events.revoked(this);
	}

	/**
	 * Logs a message at INFO, or at DEBUG if the candidate is a {@link DefaultCandidate},
	 * because that class already logs its terms.
	 */
	private void log(String message, Object detail) {
		if (this.candidate instanceof DefaultCandidate) {
			logger.debug(message, getRole(), detail);
		}
		else {
			logger.info(message, getRole(), detail);
		}
	}

	private void grant() {
		try {
			this.held.call(() -> {
				this.candidate.onGranted(this);
				return true;
			});
		}
		catch (InterruptedException ex) {
			failed(ex);
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
		}
		finally {
			endLeading();
		}
	}

	private void failed(Throwable failure) {
		if (end(End.FAILED)) {
			logger.error("The candidate for {} failed; it will be granted leadership again later", getRole(), failure);
		}
		else {
			logger.debug("The candidate for {} ended", getRole(), failure);
		}
	}

	private void revoke() {
		try {
			this.candidate.onRevoked(this);
		}
		catch (RuntimeException | Error ex) {
			logger.error("The candidate for {} failed when leadership was revoked", getRole(), ex);
		}
	}

	/** Makes this thread interruptible unless the term has ended. */
	private boolean beginLeading() {
		this.interruptGuard.lock();
		try {
			if (this.end.isDone()) {
				return false;
			}
			this.leading = Thread.currentThread();
			return true;
		}
		finally {
			this.interruptGuard.unlock();
		}
	}

	private void endLeading() {
		this.interruptGuard.lock();
		try {
			this.leading = null;
			// An interrupt was meant for the call that has just returned.
			Thread.interrupted();
		}
		finally {
			this.interruptGuard.unlock();
		}
	}

	/**
	 * Ends the term and interrupts the candidate if it leads. The candidate is revoked
	 * once {@link Candidate#onGranted} has returned.
	 * @return {@code false} if the term had ended before
	 */
	boolean end(End reason) {
		if (!this.end.complete(reason)) {
			return false;
		}
		CompletableFuture.delayedExecutor(GRACE.toMillis(), TimeUnit.MILLISECONDS).execute(this::warnIfNotOver);
		this.interruptGuard.lock();
		try {
			if (this.leading != null) {
				this.leading.interrupt();
			}
		}
		finally {
			this.interruptGuard.unlock();
		}
		return true;
	}

	/** Returns the reason of the end, or {@code null} while the term lasts. */
	@Nullable End endReason() {
		return this.end.getNow(null);
	}

	/** Logs that a candidate has not returned, which keeps this process from leading. */
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
	 * Returns a future that completes after the last call of the candidate and the event
	 * listeners.
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
