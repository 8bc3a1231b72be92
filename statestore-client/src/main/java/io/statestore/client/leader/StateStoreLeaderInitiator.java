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
 * <b>Callbacks.</b> Each term has a thread of its own, virtual on JDK 21 and newer. On it
 * come, one after the other: the {@code OnGrantedEvent},
 * {@link Candidate#onGranted(org.springframework.integration.leader.Context) onGranted},
 * which may block for the whole term, {@code onRevoked}, and the {@code OnRevokedEvent}.
 * All get a {@link LeaderContext}. For each {@code onGranted} there is exactly one
 * {@code onRevoked}, after it has returned, and none is granted before the last one is
 * revoked.
 * <p>
 * <b>End of a term.</b> When the lock is lost, the candidate yields, or the initiator
 * stops, {@code onGranted} is interrupted if it has not returned, and must return then:
 * it holds up its own revocation. If it throws, that is logged, its term ends, and the
 * next try is after 1 s, and after twice as long each time, up to 32 s. After a yield the
 * process stays out of the election for half a second.
 * <p>
 * <b>Loss.</b> A lock is lost when its lease ends without a confirmed renewal, and when
 * the store says that it is gone. {@link LeaderContext#isLeader()} is false before
 * anybody else can lead. What must not be written by a leader of the past belongs through
 * {@link LeaderContext#operations()}.
 * <p>
 * <b>Outages.</b> Without a connection nobody is elected, and a leader ends with its
 * lease; the election goes on by itself when the connection is back.
 */
public final class StateStoreLeaderInitiator implements SmartLifecycle, ApplicationEventPublisherAware, DisposableBean {

	/** Among the last to start and the first to stop, before the listeners of keys. */
	public static final int PHASE = Integer.MAX_VALUE - 1000;

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLeaderInitiator.class);

	/** More than the candidate and the release of the lock together may take. */
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
	 * @param lock who holds it leads. For this initiator alone; every process has a lock
	 * object with the same key
	 * @param candidate is told. Its role is that of the events and contexts, and may
	 * differ from the key of the lock
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

	/** Publish the events of the terms that follow in another way than by default. */
	public void setLeaderEventPublisher(LeaderEventPublisher events) {
		this.events = events;
	}

	/** Whether to start with the application; {@code true} by default. */
	public void setAutoStartup(boolean autoStartup) {
		this.autoStartup = autoStartup;
	}

	/** What is led. */
	public String role() {
		return this.candidate.getRole();
	}

	/** Whether this process leads, as {@link LeaderContext#isLeader()} says. */
	public boolean isLeader() {
		return context().isPresent();
	}

	/** The present term, empty if this process does not lead. */
	public Optional<LeaderContext> context() {
		return Optional.ofNullable(this.election.get()).map(Election::context).filter(LeaderContext::isLeader);
	}

	/** Take part in the election. Returns at once. */
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
	 * Take no part in the election any more. If this process leads, its candidate is
	 * revoked, and another can lead when this returns: at the latest 5 s after the
	 * interrupt of the candidate the lock is released, whatever it does. Returns without
	 * that after 20 s.
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
			logger.warn("The leader of {} has not stopped within {} s. Its lock is free at the end of its lease",
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
