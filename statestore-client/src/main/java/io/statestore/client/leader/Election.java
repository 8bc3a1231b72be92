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
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.Tenure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Participation in elections from a start to the next stop: waits for the lock, runs a
 * term, releases the lock, and repeats. The thread that does so owns the lock. It never
 * runs user code, so an interrupt of it does no harm.
 */
final class Election implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Election.class);

	/** Time for other waiters to acquire the lock. */
	private static final Duration YIELD_PAUSE = Duration.ofMillis(500);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final int MAX_DOUBLINGS = 5;

	private final CompletableFuture<Void> stopping = new CompletableFuture<>();

	/**
	 * Completes when a stop no longer waits for the candidate before releasing the lock.
	 */
	private final CompletableFuture<Void> graceOver = this.stopping.thenRunAsync(() -> {
	}, CompletableFuture.delayedExecutor(Term.GRACE.toMillis(), TimeUnit.MILLISECONDS, Runnable::run));

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final FencedLock lock;

	private final Function<Tenure, Term> terms;

	private final Executor threads;

	private final CompletableFuture<Void> before;

	private volatile @Nullable Thread thread;

	private volatile @Nullable Term term;

	/** Whether a failure has been logged since the lock was last acquired. */
	private boolean warned;

	private int failures;

	/**
	 * Creates an election.
	 * @param before completes when nothing of the previous election is left
	 */
	Election(FencedLock lock, Function<Tenure, Term> terms, Executor threads, CompletableFuture<Void> before) {
		this.lock = lock;
		this.terms = terms;
		this.threads = threads;
		this.before = before;
	}

	/** Begins when the previous election is over. */
	void start() {
		CompletableFuture.anyOf(this.before, this.stopping).thenRun(this::execute);
	}

	private void execute() {
		try {
			this.threads.execute(this);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Cannot take part in the election with lock {}: no thread could be started. "
					+ "Stop and start the leader initiator to try again", this.lock.key(), ex);
			this.ended.complete(null);
		}
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
		try {
			while (!this.stopping.isDone()) {
				pause(round());
			}
		}
		finally {
			this.ended.complete(null);
		}
	}

	/**
	 * Takes part in one election.
	 * @return pause before the next one
	 */
	private Duration round() {
		try {
			this.lock.lockInterruptibly();
			this.warned = false;
			return afterTerm(lead());
		}
		catch (InterruptedException ex) {
			// Stopped, or an interrupt for the holder of a lock that was lost before.
			return Duration.ZERO;
		}
		catch (RuntimeException | Error ex) {
			if (!this.warned) {
				this.warned = true;
				logger.warn("Cannot take part in the election with lock {}; retrying", this.lock.key(), ex);
			}
			return nextRetry();
		}
	}

	/** Runs a term while the lock is held, and releases it. */
	private @Nullable End lead() {
		try {
			Tenure tenure = this.lock.tenure();
			Term term = this.terms.apply(tenure);
			this.term = term;
			if (this.stopping.isDone()) {
				term.end(End.STOPPED);
			}
			tenure.onLost((loss) -> term.end(End.LOST));
			tenure.watch();
			begin(term);
			CompletableFuture.anyOf(term.over(), this.graceOver).join();
			return term.ended();
		}
		finally {
			release();
		}
	}

	private void begin(Term term) {
		try {
			this.threads.execute(term);
		}
		catch (RuntimeException | Error ex) {
			this.term = null;
			throw ex;
		}
	}

	private void release() {
		try {
			this.lock.unlock();
		}
		catch (LockLostException ex) {
			logger.debug("The lock was lost before its release", ex);
		}
	}

	private Duration afterTerm(@Nullable End end) {
		if (end == End.FAILED) {
			return nextRetry();
		}
		this.failures = 0;
		return (end == End.YIELDED) ? YIELD_PAUSE : Duration.ZERO;
	}

	private Duration nextRetry() {
		return RETRY.multipliedBy(1L << Math.min(this.failures++, MAX_DOUBLINGS));
	}

	private void pause(Duration pause) {
		try {
			this.stopping.get(pause.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | InterruptedException | ExecutionException ex) {
			// The next round checks whether to continue.
		}
	}

	/** Returns the latest term, {@code null} before the first. */
	@Nullable LeaderContext context() {
		return this.term;
	}

	/** Returns a future that completes when the lock is released for the last time. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	/** Returns a future that also waits for the last call of a candidate. */
	CompletableFuture<Void> over() {
		return this.ended.thenCompose((nothing) -> {
			Term term = this.term;
			return (term != null) ? term.over() : this.before;
		});
	}

}
