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
 * Elects one leader among all processes whose initiators share a lock of the state store.
 * <p>
 * <b>Callbacks.</b> Each term has a thread of its own, virtual on JDK 21 and newer. It
 * calls, one after the other, the listeners of the {@code OnGrantedEvent},
 * {@link Candidate#onGranted(org.springframework.integration.leader.Context) onGranted},
 * {@code onRevoked}, and the listeners of the {@code OnRevokedEvent}. All receive a
 * {@link LeaderContext}. {@code onGranted} may block for the entire term. Each
 * {@code onGranted} is followed by exactly one {@code onRevoked}, after it has returned.
 * No term begins before the previous one is revoked.
 * <p>
 * <b>End of a term.</b> When the lock is lost, the candidate yields, or the initiator
 * stops, {@code onGranted} is interrupted if it has not returned. It must return then,
 * because it delays its own revocation. If it throws, the exception is logged and the
 * term ends. The next attempt follows after 1 s, then after twice as long each time, up
 * to 32 s. After a yield the process stays out of the election for half a second.
 * <p>
 * <b>Loss.</b> A lock is lost when its lease ends without a confirmed renewal, and when
 * the store reports that another holder or none has it. As long as the store keeps what
 * it has stored, {@link LeaderContext#isLeader()} returns {@code false} before another
 * process can lead. Write through {@link LeaderContext#operations()}, so that the store
 * refuses the writes of an earlier leader.
 * <p>
 * <b>Outages.</b> Without a connection no leader is elected, and the term of a leader
 * ends with its lease. The election continues when the connection is back.
 * <p>
 * <b>A store that forgets.</b> A store that restarts empty, such as the embedded broker,
 * has lost the lock. Another process may then lead while the earlier leader relies on its
 * lease, so for up to a lease there can be two leaders. The tokens of the keys are lost
 * as well. The store accepts writes of either leader for a key until the one with the
 * greater token has written that key.
 */
public final class StateStoreLeaderInitiator implements SmartLifecycle, ApplicationEventPublisherAware, DisposableBean {

	/** Phase among the last to start and the first to stop. */
	public static final int PHASE = Integer.MAX_VALUE - 1000;

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLeaderInitiator.class);

	/** Longer than the candidate and the release of the lock together may take. */
	private static final Duration STOP_TIMEOUT = Term.GRACE.multipliedBy(4);

	private final Executor threads = threads();

	private final AtomicReference<@Nullable Election> election = new AtomicReference<>();

	private final FencedLock lock;

	private final Candidate candidate;

	private final DefaultLeaderEventPublisher defaultEvents = new DefaultLeaderEventPublisher();

	private volatile LeaderEventPublisher events = this.defaultEvents;

	private volatile CompletableFuture<Void> before = CompletableFuture.completedFuture(null);

	private boolean autoStartup = true;

	/**
	 * Creates an initiator.
	 * @param lock lock whose holder leads, used by this initiator alone. Every process
	 * uses a lock with the same key
	 * @param candidate receives the callbacks. Its role is that of the events and
	 * contexts, and may differ from the key of the lock
	 */
	public StateStoreLeaderInitiator(FencedLock lock, Candidate candidate) {
		Assert.hasText(candidate.getRole(), "'candidate' must have a role. Return it from getRole()");
		this.lock = lock;
		this.candidate = candidate;
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
	 * Sets the publisher of the events of later terms.
	 * @param events replaces the publisher of application events
	 */
	public void setLeaderEventPublisher(LeaderEventPublisher events) {
		this.events = events;
	}

	/**
	 * Sets whether to start with the application.
	 * @param autoStartup {@code true} by default
	 */
	public void setAutoStartup(boolean autoStartup) {
		this.autoStartup = autoStartup;
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
	 * Returns the present term.
	 * @return the term, empty if this process does not lead
	 */
	public Optional<LeaderContext> context() {
		return Optional.ofNullable(this.election.get()).map(Election::context).filter(LeaderContext::isLeader);
	}

	/** Takes part in the election. Returns at once. */
	@Override
	public void start() {
		Election election = new Election(this.lock,
				(tenure) -> new Term(tenure, this.candidate, new TermEvents(this, this.events)), this.threads,
				this.before);
		if (this.election.compareAndSet(null, election)) {
			election.start();
		}
	}

	/**
	 * Leaves the election. If this process leads, its candidate is revoked, and another
	 * process can lead when this method returns. The lock is released no later than 5 s
	 * after the interrupt of the candidate. Returns after 20 s in any case.
	 */
	@Override
	public void stop() {
		Election election = this.election.get();
		if (election == null) {
			return;
		}
		this.before = election.over();
		if (!this.election.compareAndSet(election, null)) {
			return;
		}
		election.stop();
		try {
			election.ended().get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			logger.warn("The leader of {} has not stopped within {} s. Its lock is released at the end of its lease",
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
