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
 * One term. Its candidate and the listeners of its events are called on one thread, one
 * after the other, by {@link #run()}. Anybody may end it, once.
 */
final class Term implements LeaderContext, Runnable {

	/** Why a term ended. */
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

	/** How long a candidate may take to end. */
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
			logger.error("The candidate for {} failed, and is granted leadership again later", getRole(), failure);
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
			// Meant for what has just returned.
			Thread.interrupted();
		}
		finally {
			this.interruptGuard.unlock();
		}
	}

	/**
	 * Interrupt the candidate if it leads, and have it revoked.
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

	/** How it ended, {@code null} while it lasts. */
	@Nullable End ended() {
		return this.end.getNow(null);
	}

	/** Nobody else would know why this process is neither leader nor candidate. */
	private void complainIfNotOver() {
		if (!this.over.isDone()) {
			logger
				.warn("The term of the leader of {} ended {} s ago, and its candidate still works. Until onGranted and"
						+ " onRevoked have returned this process does not lead again. Have onGranted return when it is"
						+ " interrupted", getRole(), GRACE.toSeconds());
		}
	}

	/** Completed when nobody is called any more. */
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
