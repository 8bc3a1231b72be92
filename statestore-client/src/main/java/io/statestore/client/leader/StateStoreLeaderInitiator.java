package io.statestore.client.leader;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.client.Key;
import io.statestore.client.leader.Term.End;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.HeldLock;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.LockLostException;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.util.Assert;

/**
 * Leader initiator of Spring Integration that elects one leader among all processes whose
 * initiators share a lock of the state store.
 * <p>
 * <b>Callbacks.</b> Each term has its own thread ({@link #setTaskExecutor}). The thread
 * calls, one after the other, the listeners of the {@code OnGrantedEvent},
 * {@link Candidate#onGranted(org.springframework.integration.leader.Context) onGranted},
 * {@code onRevoked}, and the listeners of the {@code OnRevokedEvent}. All receive a
 * {@link LeaderContext}. {@code onGranted} may block for the entire term. Once it has
 * returned, {@code onRevoked} is called exactly once. No term starts before the previous
 * one is revoked.
 * <p>
 * <b>End of a term.</b> A term ends when the lock is lost, the candidate yields, or the
 * initiator stops. If {@code onGranted} has not returned, it is interrupted. It must then
 * return, because revocation waits for it. If it throws, the exception is logged and the
 * term ends. The next attempt follows after 1 s. This pause doubles with each failure, up
 * to 32 s. After a yield the process does not request the lock for half a second.
 * <p>
 * <b>Loss.</b> A lock is lost when its lease ends without a confirmed renewal, or when
 * the store reports another holder or none. {@link LeaderContext#isLeader()} then returns
 * {@code false} before another process can lead, provided that the store does not lose
 * its data. Write through {@link LeaderContext#operations()}, so that the store refuses
 * the writes of an earlier leader.
 * <p>
 * <b>Outages.</b> Without a connection no leader is elected, and the term of a leader
 * ends with its lease. The election continues after the reconnect.
 * <p>
 * <b>Restart with an empty store.</b> A store that restarts empty, such as the embedded
 * broker without a directory, has lost the lock. Another process may then lead while the
 * earlier leader relies on its lease, so there can be two leaders for up to one lease.
 * The tokens of the keys are lost as well. The store accepts writes of both leaders for a
 * key until the leader with the greater token has written that key.
 */
public final class StateStoreLeaderInitiator implements SmartLifecycle, ApplicationEventPublisherAware, DisposableBean {

	/**
	 * Lifecycle phase: starts before listeners and the web server of Spring Boot, and
	 * stops after they have completed their last calls and requests.
	 */
	public static final int PHASE = Integer.MAX_VALUE - 4000;

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLeaderInitiator.class);

	/**
	 * Pause after a yield or a forced release, in which other waiters can acquire the
	 * lock.
	 */
	private static final Duration YIELD_PAUSE = Duration.ofMillis(500);

	/** Pause after the first failure, which doubles with each further one. */
	private static final Duration RETRY = Duration.ofSeconds(1);

	/** Limits the pause to 32 s. */
	private static final int MAX_DOUBLINGS = 5;

	/** Exceeds the time that the candidate and the release of the lock may take. */
	private static final Duration STOP_TIMEOUT = Term.GRACE.multipliedBy(4);

	private volatile Executor threads;

	private final TimeSource time;

	private final AtomicReference<@Nullable Election> election = new AtomicReference<>();

	private final FencedLock lock;

	private final Candidate candidate;

	private final DefaultLeaderEventPublisher events = new DefaultLeaderEventPublisher();

	/** Completes after the last call of a candidate in the previous election. */
	private volatile CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

	/**
	 * Creates an initiator.
	 * @param lock whose holder leads. Every process uses a lock with the same key. Within
	 * a process only this initiator may use it
	 * @param candidate receives the callbacks. Its role is passed with the events and
	 * contexts, and may differ from the key of the lock
	 * @throws IllegalArgumentException if the candidate has no role
	 */
	public StateStoreLeaderInitiator(FencedLock lock, Candidate candidate) {
		this(lock, candidate, TimeSource.SYSTEM);
	}

	/**
	 * Creates an initiator that follows another time, for tests.
	 * @param lock whose holder leads, as for the other constructor
	 * @param candidate receives the callbacks
	 * @param time measures the pauses between terms. Locks follow the time of their
	 * registry
	 * @throws IllegalArgumentException if the candidate has no role
	 */
	public StateStoreLeaderInitiator(FencedLock lock, Candidate candidate, TimeSource time) {
		Assert.hasText(candidate.getRole(), "'candidate' must have a role. Return it from getRole()");
		this.lock = lock;
		this.candidate = candidate;
		this.time = time;
		this.threads = time.tracked(threads());
	}

	private static Executor threads() {
		String name = "statestore-leader-";
		try {
			return new VirtualThreadTaskExecutor(name);
		}
		catch (UnsupportedOperationException ex) {
			SimpleAsyncTaskExecutor daemons = new SimpleAsyncTaskExecutor(name);
			daemons.setDaemon(true);
			return daemons;
		}
	}

	@Override
	public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
		this.events.setApplicationEventPublisher(publisher);
	}

	/**
	 * Sets the executor of elections and terms, from the next start on. Each election and
	 * each term occupies a thread, so the executor must not limit their number.
	 * @param executor by default, virtual threads on JDK 21 and newer, otherwise new
	 * daemon threads
	 */
	public void setTaskExecutor(Executor executor) {
		this.threads = this.time.tracked(executor);
	}

	/**
	 * Returns the role of the candidate.
	 * @return the role
	 */
	public String role() {
		return this.candidate.getRole();
	}

	/**
	 * Returns whether this process leads.
	 * @return the same as {@link LeaderContext#isLeader()} of the latest term
	 */
	public boolean isLeader() {
		return context().isPresent();
	}

	/**
	 * Returns the current term.
	 * @return the term, empty if this process does not lead
	 */
	public Optional<LeaderContext> context() {
		return Optional.ofNullable(this.election.get())
			.<LeaderContext>map((election) -> election.term)
			.filter(LeaderContext::isLeader);
	}

	/** Joins the election. Does not wait. */
	@Override
	public void start() {
		this.lock.markLeader();
		Election election = new Election();
		if (this.election.compareAndSet(null, election)) {
			election.start();
		}
	}

	/**
	 * Leaves the election. If this process leads, its candidate is interrupted and
	 * revoked. The lock is released after the revocation, at the latest after 5 s.
	 * Returns once the lock is released, at the latest after 20 s.
	 */
	@Override
	public void stop() {
		Election election = this.election.get();
		if (election == null) {
			return;
		}
		this.previous = election.over();
		if (!this.election.compareAndSet(election, null)) {
			return;
		}
		election.stop();
		try {
			election.ended.get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			logger.warn(
					"The leader of {} has not stopped within {} s. The store releases its lock at the end of the lease",
					role(), STOP_TIMEOUT.toSeconds());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.election.get() != null;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public void destroy() {
		stop();
	}

	@Override
	public String toString() {
		return "StateStoreLeaderInitiator[role=" + role() + ", leader=" + isLeader() + "]";
	}

	/**
	 * Participation in the election from a start of the initiator to its next stop. Waits
	 * for the lock, runs a term, releases the lock, and repeats. The thread of the
	 * election owns the lock. It never runs user code, so it can be interrupted at any
	 * time.
	 */
	private final class Election implements Runnable {

		private final CompletableFuture<Void> stopping = new CompletableFuture<>();

		/**
		 * Completes when a stop releases the lock without waiting longer for the
		 * candidate.
		 */
		private final CompletableFuture<Void> graceOver = new CompletableFuture<>();

		/** Completes after the last release of the lock. */
		private final CompletableFuture<Void> ended = new CompletableFuture<>();

		private final Executor threads = StateStoreLeaderInitiator.this.threads;

		private final CompletableFuture<Void> previous = StateStoreLeaderInitiator.this.previous;

		private volatile @Nullable Thread thread;

		/** Latest term, {@code null} before the first. */
		private volatile @Nullable Term term;

		/** Whether a failure was logged since the lock was last acquired. */
		private boolean warned;

		/** Number of consecutive failures. */
		private int failures;

		/** Starts once the previous election is over. Does not wait. */
		void start() {
			CompletableFuture.anyOf(this.previous, this.stopping)
				.thenRunAsync(this, this.threads)
				.whenComplete((nothing, failure) -> {
					if (failure != null) {
						logger.error("Cannot take part in the election with lock {}: no thread could be started. "
								+ "Stop and start the leader initiator to try again", key(), failure);
					}
					this.ended.complete(null);
				});
		}

		/** Ends the term and the election. Does not wait. */
		void stop() {
			this.stopping.complete(null);
			this.graceOver.completeOnTimeout(null, Term.GRACE.toMillis(), TimeUnit.MILLISECONDS);
			Term term = this.term;
			if (term != null) {
				term.end(End.STOPPED);
			}
			Thread thread = this.thread;
			if (thread != null) {
				thread.interrupt();
			}
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

		@Override
		public void run() {
			this.thread = Thread.currentThread();
			while (!this.stopping.isDone()) {
				Duration pause = waitAndLead();
				try {
					StateStoreLeaderInitiator.this.time.get(this.stopping, pause);
				}
				catch (TimeoutException | InterruptedException | ExecutionException ex) {
					// The loop checks whether to continue.
				}
			}
		}

		/**
		 * Waits for the lock, runs one term, and releases the lock.
		 * @return pause before the next term
		 */
		private Duration waitAndLead() {
			try {
				StateStoreLeaderInitiator.this.lock.execute(this::lead);
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
					logger.warn("Cannot take part in the election with lock {}; retrying", key(), ex);
				}
				return nextRetry();
			}
			return afterTerm();
		}

		/** Runs a term, and returns when the lock is to be released. */
		private Term lead(HeldLock held) throws ExecutionException {
			this.warned = false;
			StateStoreLeaderInitiator initiator = StateStoreLeaderInitiator.this;
			Term term = new Term(held, initiator.candidate, initiator, initiator.events, initiator.time);
			held.onLost((loss) -> term.end(End.LOST));
			held.watch();
			this.term = term;
			if (this.stopping.isDone()) {
				term.end(End.STOPPED);
			}
			this.threads.execute(term);
			initiator.time.join(CompletableFuture.anyOf(term.over(), this.graceOver));
			return term;
		}

		private Duration afterTerm() {
			Term term = this.term;
			End end = (term != null) ? term.endReason() : null;
			if (end == End.FAILED) {
				return nextRetry();
			}
			this.failures = 0;
			return (end == End.YIELDED || (term != null && end == End.LOST && isFreedByOperator(term.heldLock())))
					? YIELD_PAUSE : Duration.ZERO;
		}

		/** Returns whether an operator freed the lock, so that another process leads. */
		private boolean isFreedByOperator(HeldLock held) {
			return held.loss()
				.filter((loss) -> loss.reason() == Reason.DELETED || loss.reason() == Reason.FORCED)
				.isPresent();
		}

		private Duration nextRetry() {
			return RETRY.multipliedBy(1L << Math.min(this.failures++, MAX_DOUBLINGS));
		}

		private Key key() {
			return StateStoreLeaderInitiator.this.lock.key();
		}

	}

}
