package io.statestore.client.leader;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.statestore.client.leader.Term.End;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.HeldLock;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Participation in the election from a start of the initiator to its next stop. Waits for
 * the lock, runs a term, releases the lock, and repeats. The thread of the election owns
 * the lock. It never runs user code, so it can be interrupted at any time.
 */
final class Election implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Election.class);

	/**
	 * Pause after a yield or a forced release, in which other waiters can acquire the
	 * lock.
	 */
	private static final Duration YIELD_PAUSE = Duration.ofMillis(500);

	/** Pause after the first failure, which doubles with each further one. */
	private static final Duration RETRY = Duration.ofSeconds(1);

	/** Limits the pause to 32 s. */
	private static final int MAX_DOUBLINGS = 5;

	private final CompletableFuture<Void> stopping = new CompletableFuture<>();

	/**
	 * Completes when a stop releases the lock without waiting longer for the candidate.
	 */
	private final CompletableFuture<Void> graceOver = this.stopping.thenRunAsync(() -> {
	}, CompletableFuture.delayedExecutor(Term.GRACE.toMillis(), TimeUnit.MILLISECONDS, Runnable::run));

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final FencedLock lock;

	private final Function<HeldLock, Term> terms;

	private final Executor threads;

	private final TimeSource time;

	/** Completes after the last call of a candidate in the previous election. */
	private final CompletableFuture<Void> previous;

	private volatile @Nullable Thread thread;

	private volatile @Nullable Term term;

	/** Whether an operator ended the term, which lets another candidate lead. */
	private volatile boolean yielding;

	/** Whether a failure was logged since the lock was last acquired. */
	private boolean warned;

	/** Number of consecutive failures. */
	private int failures;

	/**
	 * Creates an election.
	 * @param lock whose holder leads
	 * @param terms creates the term of a tenure
	 * @param threads runs the election and its terms
	 * @param time measures the pauses
	 * @param previous completes after the last call of a candidate in the previous
	 * election
	 */
	Election(FencedLock lock, Function<HeldLock, Term> terms, Executor threads, TimeSource time,
			CompletableFuture<Void> previous) {
		this.lock = lock;
		lock.markLeader();
		this.terms = terms;
		this.threads = threads;
		this.time = time;
		this.previous = previous;
	}

	/** Starts once the previous election is over. Does not wait. */
	void start() {
		CompletableFuture.anyOf(this.previous, this.stopping)
			.thenRunAsync(this, this.threads)
			.whenComplete((nothing, failure) -> {
				if (failure != null) {
					logger.error("Cannot take part in the election with lock {}: no thread could be started. "
							+ "Stop and start the leader initiator to try again", this.lock.key(), failure);
				}
				this.ended.complete(null);
			});
	}

	/** Ends the term and the election. Does not wait. */
	void stop() {
		this.stopping.complete(null);
		Term term = this.term;
		if (term != null) {
			term.end(End.STOPPED);
		}
		Thread thread = this.thread;
		if (thread != null) {
			thread.interrupt();
		}
	}

	@Override
	public void run() {
		this.thread = Thread.currentThread();
		while (!this.stopping.isDone()) {
			pause(waitAndLead());
		}
	}

	/**
	 * Waits for the lock, runs one term, and releases the lock.
	 * @return pause before the next term
	 */
	private Duration waitAndLead() {
		try {
			this.lock.execute(this::lead);
		}
		catch (InterruptedException ex) {
			// A stop, or a late interrupt because of the loss of an earlier tenure.
			return Duration.ZERO;
		}
		catch (LockLostException ex) {
			logger.debug("The lock was lost before its release", ex);
		}
		catch (ExecutionException | RuntimeException | Error ex) {
			// A term that could not begin is never over.
			this.term = null;
			if (!this.warned) {
				this.warned = true;
				logger.warn("Cannot take part in the election with lock {}; retrying", this.lock.key(), ex);
			}
			return nextRetry();
		}
		return afterTerm();
	}

	/** Runs a term, and returns when the lock is to be released. */
	private Term lead(HeldLock held) throws ExecutionException {
		this.warned = false;
		this.yielding = false;
		Term term = this.terms.apply(held);
		held.onLost((loss) -> {
			this.yielding = loss.reason() == Reason.DELETED || loss.reason() == Reason.FORCED;
			term.end(End.LOST);
		});
		held.watch();
		this.term = term;
		if (this.stopping.isDone()) {
			term.end(End.STOPPED);
		}
		this.threads.execute(term);
		this.time.join(CompletableFuture.anyOf(term.over(), this.graceOver));
		return term;
	}

	private Duration afterTerm() {
		End end = (this.term != null) ? this.term.endReason() : null;
		if (end == End.FAILED) {
			return nextRetry();
		}
		this.failures = 0;
		return (end == End.YIELDED || (end == End.LOST && this.yielding)) ? YIELD_PAUSE : Duration.ZERO;
	}

	private Duration nextRetry() {
		return RETRY.multipliedBy(1L << Math.min(this.failures++, MAX_DOUBLINGS));
	}

	private void pause(Duration pause) {
		try {
			this.time.get(this.stopping, pause);
		}
		catch (TimeoutException | InterruptedException | ExecutionException ex) {
			// The loop checks whether to continue.
		}
	}

	/** Returns the latest term, or {@code null} before the first. */
	@Nullable LeaderContext context() {
		return this.term;
	}

	/** Returns a future that completes after the last release of the lock. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	/**
	 * Returns a future that completes after the last release of the lock and the last
	 * call of a candidate.
	 */
	CompletableFuture<Void> over() {
		return this.ended.thenCompose((nothing) -> {
			Term term = this.term;
			return (term != null) ? term.over() : this.previous;
		});
	}

}
