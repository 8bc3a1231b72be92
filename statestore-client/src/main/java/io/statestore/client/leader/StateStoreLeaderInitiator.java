package io.statestore.client.leader;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.client.lock.FencedLock;
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
import org.springframework.integration.leader.event.LeaderEventPublisher;
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

	/** Exceeds the time that the candidate and the release of the lock may take. */
	private static final Duration STOP_TIMEOUT = Term.GRACE.multipliedBy(4);

	private volatile Executor threads;

	private final TimeSource time;

	private final AtomicReference<@Nullable Election> election = new AtomicReference<>();

	private final FencedLock lock;

	private final Candidate candidate;

	private final DefaultLeaderEventPublisher defaultEvents = new DefaultLeaderEventPublisher();

	private volatile LeaderEventPublisher events = this.defaultEvents;

	/** Completes after the last call of a candidate in the previous election. */
	private volatile CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

	private boolean autoStartup = true;

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
		this.defaultEvents.setApplicationEventPublisher(publisher);
	}

	/**
	 * Sets the publisher of events, from the next term on. By default events are
	 * published in the application context.
	 * @param events publisher of events
	 */
	public void setLeaderEventPublisher(LeaderEventPublisher events) {
		this.events = events;
	}

	/**
	 * Sets whether the initiator starts with the application context.
	 * @param autoStartup {@code true} by default
	 */
	public void setAutoStartup(boolean autoStartup) {
		this.autoStartup = autoStartup;
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
		return Optional.ofNullable(this.election.get()).map(Election::context).filter(LeaderContext::isLeader);
	}

	/** Joins the election. Does not wait. */
	@Override
	public void start() {
		Election election = new Election(this.lock,
				(held) -> new Term(held, this.candidate, this, this.events, this.time), this.threads, this.time,
				this.previous);
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
			election.ended().get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
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
	public boolean isAutoStartup() {
		return this.autoStartup;
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

}
