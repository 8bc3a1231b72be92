package io.statestore.client.leader;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.lock.Tenure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;

/**
 * One term. {@link #run()} calls its candidate and the listeners of its events one after
 * the other. Any thread may end the term; the first reason counts.
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

	/** Time that a candidate may take to end. */
	static final Duration GRACE = Duration.ofSeconds(5);

	private static final Logger logger = LoggerFactory.getLogger(Term.class);

	private final CompletableFuture<End> end = new CompletableFuture<>();

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/** Keeps an interrupt from everything but {@link Candidate#onGranted}. */
	private final ReentrantLock interruptGuard = new ReentrantLock();

	private final Tenure tenure;

	private final Candidate candidate;

	private final TermEvents events;

	private @Nullable Thread leading;

	Term(Tenure tenure, Candidate candidate, TermEvents events) {
		this.tenure = tenure;
		this.candidate = candidate;
		this.events = events;
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
		this.events.granted(this);
		boolean granted = mayBegin();
		if (granted) {
			grant();
		}
		End end = this.end.join();
		log("No longer leader of {}: {}", end);
		if (granted) {
			revoke();
		}
		this.events.revoked(this);
	}

	/** Logs a message once: a {@link DefaultCandidate} logs its terms itself. */
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
			this.candidate.onGranted(this);
		}
		catch (InterruptedException ex) {
			failed(ex);
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
		}
		finally {
			finish();
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

	private boolean mayBegin() {
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

	private void finish() {
		this.interruptGuard.lock();
		try {
			this.leading = null;
			// The interrupt was meant for the call that has just returned.
			Thread.interrupted();
		}
		finally {
			this.interruptGuard.unlock();
		}
	}

	/**
	 * Ends the term: interrupts the candidate if it leads, which leads to its revocation.
	 * @return whether this was the first reason
	 */
	boolean end(End reason) {
		if (!this.end.complete(reason)) {
			return false;
		}
		CompletableFuture.delayedExecutor(GRACE.toMillis(), TimeUnit.MILLISECONDS).execute(this::complainIfNotOver);
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

	/** Returns the reason of the end, {@code null} while the term lasts. */
	@Nullable End ended() {
		return this.end.getNow(null);
	}

	/** Logs why this process is neither leader nor candidate. */
	private void complainIfNotOver() {
		if (!this.over.isDone()) {
			logger
				.warn("The term of the leader of {} ended {} s ago, but its candidate has not returned. This process does not"
						+ " lead again before onGranted and onRevoked have returned. Return from onGranted when it is"
						+ " interrupted", getRole(), GRACE.toSeconds());
		}
	}

	/**
	 * Returns a future that completes after the last call of the candidate and listeners.
	 */
	CompletableFuture<Void> over() {
		return this.over;
	}

	@Override
	public Tenure tenure() {
		return this.tenure;
	}

	@Override
	public boolean isLeader() {
		return !this.end.isDone() && this.tenure.isValid();
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
		End end = ended();
		return "LeaderContext[role=" + getRole() + ", token=" + token() + ", leader=" + isLeader()
				+ ((end != null) ? ", ended: " + end + "]" : "]");
	}

}
