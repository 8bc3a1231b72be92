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
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.util.Assert;

/**
 * Spring Integration leader initiator that elects one leader among all processes whose
 * initiators share a state store lock.
 * <p>
 * <b>Callbacks.</b> Each term has its own thread ({@link #setTaskExecutor}). It calls, in
 * this order, the {@code OnGrantedEvent} listeners,
 * {@link Candidate#onGranted(org.springframework.integration.leader.Context) onGranted},
 * {@code onRevoked}, and the {@code OnRevokedEvent} listeners. All receive a
 * {@link LeaderContext}. {@code onGranted} may block for the entire term. Once it has
 * returned, {@code onRevoked} is called exactly once. No term starts before the previous
 * term is revoked.
 * <p>
 * <b>End of a term.</b> A term ends when the lock is lost, the candidate yields, or the
 * initiator stops. If {@code onGranted} has not returned, it is interrupted. It must then
 * return, because revocation waits for it. If it throws, the exception is logged and the
 * term ends. The process then pauses for 1 s before it requests the lock again; the pause
 * doubles with each failure, up to 32 s. After a yield, the pause is half a second.
 * <p>
 * <b>Loss.</b> The lock is lost when its lease ends without a confirmed renewal, or when
 * the store reports that another process, or no process, holds it.
 * {@link LeaderContext#isLeader()} then returns {@code false} before another process can
 * lead, unless the store loses its data. Write through
 * {@link LeaderContext#operations()}, so that the store refuses writes by earlier
 * leaders.
 * <p>
 * <b>Outages.</b> Without a connection, no leader is elected, and a leader's term ends
 * with its lease. The election continues after a reconnect.
 * <p>
 * <b>Restart with an empty store.</b> A store that restarts empty, such as the embedded
 * broker without a directory, has lost the lock. Another process may then lead while the
 * earlier leader still relies on its lease, so there can be two leaders for up to one
 * lease duration. The keys' tokens are lost as well. For each key, the store accepts
 * writes from both leaders until the leader with the greater token has written the key.
 */
public final class StateStoreLeaderInitiator implements SmartLifecycle, ApplicationEventPublisherAware, DisposableBean {

	/**
	 * Lifecycle phase. The initiator starts before listeners and Spring Boot's web
	 * server, and stops after they have completed their last calls and requests.
	 */
	public static final int PHASE = Integer.MAX_VALUE - 4000;

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLeaderInitiator.class);

	/**
	 * Pause after a yield or a forced release, during which other waiters can acquire the
	 * lock.
	 */
	private static final Duration YIELD_PAUSE = Duration.ofMillis(500);

	/** Pause after the first failure. It doubles with each consecutive failure. */
	private static final Duration RETRY = Duration.ofSeconds(1);

	/** Limits the pause to 32 s. */
	private static final int MAX_DOUBLINGS = 5;

	/**
	 * Maximum time to wait in {@link #stop()}. Longer than the candidate and the lock's
	 * release may take.
	 */
	private static final Duration STOP_TIMEOUT = Term.GRACE.multipliedBy(4);

	private volatile Executor threads;

	private final TimeSource time;

	private final AtomicReference<@Nullable Election> election = new AtomicReference<>();

	private final FencedLock lock;

	private final Candidate candidate;

	private final DefaultLeaderEventPublisher events = new DefaultLeaderEventPublisher();

	/** Completes after the last candidate call of the previous election. */
	private volatile CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

	/**
	 * Creates an initiator.
	 * @param lock lock whose holder leads. Every process uses a lock with the same key.
	 * Within a process, only this initiator may use it
	 * @param candidate receives the callbacks. Its role appears in events and contexts,
	 * and may differ from the lock's key
	 * @throws IllegalArgumentException if the candidate has no role
	 */
	public StateStoreLeaderInitiator(FencedLock lock, Candidate candidate) {
		this(lock, candidate, TimeSource.SYSTEM);
	}

	/**
	 * Creates an initiator that uses another time source, for tests.
	 * @param lock lock whose holder leads, as for the other constructor
	 * @param candidate receives the callbacks
	 * @param time time source for the pauses between terms. Locks use their registry's
	 * time source instead
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
		SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("statestore-leader-");
		threads.setDaemon(true);
		threads.setVirtualThreads(Runtime.version().feature() >= 21);
		return threads;
	}

	@Override
	public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
		this.events.setApplicationEventPublisher(publisher);
	}

	/**
	 * Sets the executor that runs elections and terms. Takes effect at the next start.
	 * Each election and each term occupies a thread, so the executor must not limit the
	 * number of threads.
	 * @param executor the executor; by default, it uses virtual threads on JDK 21 and
	 * newer, and daemon threads on older JDKs
	 */
	public void setTaskExecutor(Executor executor) {
		this.threads = this.time.tracked(executor);
	}

	/**
	 * Returns the candidate's role.
	 * @return the role
	 */
	public String role() {
		return this.candidate.getRole();
	}

	/**
	 * Returns whether this process leads.
	 * @return the result of {@link LeaderContext#isLeader()} for the latest term
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
	 * revoked. The lock is released after the revocation, or after 5 s at the latest.
	 * Returns once the lock is released, or after 20 s at the latest.
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
			logger.warn("The leader of {} has not stopped within {} s. The store releases its lock when the lease ends",
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
	 * Participation in the election, from a start of the initiator to its next stop.
	 * Repeatedly waits for the lock, runs a term, and releases the lock. The election's
	 * thread owns the lock. This thread never runs user code, so it can be interrupted at
	 * any time.
	 */
	private final class Election implements Runnable {

		private final CompletableFuture<Void> stopping = new CompletableFuture<>();

		/**
		 * Completes when a stop no longer waits for the candidate, so that the lock is
		 * released.
		 */
		private final CompletableFuture<Void> graceOver = new CompletableFuture<>();

		/** Completes after the last release of the lock. */
		private final CompletableFuture<Void> ended = new CompletableFuture<>();

		private final Executor threads = StateStoreLeaderInitiator.this.threads;

		private final CompletableFuture<Void> previous = StateStoreLeaderInitiator.this.previous;

		private volatile @Nullable Thread thread;

		/** Latest term, {@code null} before the first term. */
		private volatile @Nullable Term term;

		/** Whether a failure was logged since the lock was last acquired. */
		private boolean warned;

		private int failures;

		/** Starts this election once the previous election is over. Does not wait. */
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
		 * candidate call.
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
		 * @return how long to pause before the next term
		 */
		private Duration waitAndLead() {
			try {
				StateStoreLeaderInitiator.this.lock.execute(this::lead);
			}
			catch (InterruptedException ex) {
				// Either the initiator stops, or the interrupt announced the loss of an
				// earlier tenure.
				return Duration.ZERO;
			}
			catch (LockLostException ex) {
				logger.debug("The lock was lost before its release", ex);
			}
			catch (ExecutionException | RuntimeException | Error ex) {
				// A term that could not begin would never be over.
				this.term = null;
				if (!this.warned) {
					this.warned = true;
					logger.warn("Cannot take part in the election with lock {}; retrying", key(), ex);
				}
				return nextRetry();
			}
			return afterTerm();
		}

		/** Runs a term. Returns when the lock must be released. */
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

		/**
		 * Returns whether an operator freed the lock, which lets another process lead.
		 */
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
