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
 * Takes part in elections from one start to the next stop: waits for the lock, has a term
 * run, releases the lock, goes round. The thread that does so owns the lock, and never
 * runs code of users, so that an interrupt of it does no harm.
 */
final class Election implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Election.class);

	/** Others that wait for the lock need a moment to get it. */
	private static final Duration YIELD_PAUSE = Duration.ofMillis(500);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final int MAX_DOUBLINGS = 5;

	private final CompletableFuture<Void> stopping = new CompletableFuture<>();

	/** A stop waits for a candidate no longer than this before the lock is released. */
	private final CompletableFuture<Void> graceOver = this.stopping.thenRunAsync(() -> {
	}, CompletableFuture.delayedExecutor(Term.GRACE.toMillis(), TimeUnit.MILLISECONDS, Runnable::run));

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final FencedLock lock;

	private final Function<Tenure, Term> terms;

	private final Executor threads;

	private final CompletableFuture<Void> before;

	private volatile @Nullable Thread thread;

	private volatile @Nullable Term term;

	/** Whether the log knows that the lock cannot be waited for. */
	private boolean warned;

	private int failures;

	/**
	 * @param before completed when nothing of the election before is left
	 */
	Election(FencedLock lock, Function<Tenure, Term> terms, Executor threads, CompletableFuture<Void> before) {
		this.lock = lock;
		this.terms = terms;
		this.threads = threads;
		this.before = before;
	}

	/** Begin when the election before is over. */
	void start() {
		CompletableFuture.anyOf(this.before, this.stopping).thenRun(() -> this.threads.execute(this));
	}

	/** End the term and the election. Does not wait. */
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
	 * @return how long to keep out of the next one
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
				logger.warn("Cannot take part in the election with lock {}, which is tried again", this.lock.key(), ex);
			}
			return nextRetry();
		}
	}

	/** Has the lock; releases it. */
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
			logger.debug("Nothing to release", ex);
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
			// The next round looks whether to go on.
		}
	}

	/** The latest term, {@code null} before the first. */
	@Nullable LeaderContext context() {
		return this.term;
	}

	/** Completed when the lock is released for the last time. */
	CompletableFuture<Void> ended() {
		return this.ended;
	}

	/** Completed when, moreover, no candidate is called any more. */
	CompletableFuture<Void> over() {
		return this.ended.thenCompose((nothing) -> {
			Term term = this.term;
			return (term != null) ? term.over() : this.before;
		});
	}

}
