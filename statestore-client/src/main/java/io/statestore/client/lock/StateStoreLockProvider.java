package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.lock.LockLostEvent.Reason;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ShedLock lock provider that keeps its locks in a state store. Requires
 * {@code net.javacrumbs.shedlock:shedlock-core}. Thread-safe.
 * <p>
 * <b>Names.</b> A task's lock is the lock that the registry
 * {@linkplain StateStoreLockRegistry#obtain returns} for the task's name.
 * <p>
 * <b>Threads.</b> A lock belongs to the {@link SimpleLock}, not to a thread. It cannot be
 * acquired a second time, even by the same thread. Any thread may unlock it.
 * <p>
 * <b>Lease.</b> {@code lockAtMostFor} is the lease, 10 ms to 365 days in whole
 * milliseconds. It is not renewed. If a task takes longer, this is logged, and the task
 * continues without the lock. The holder considers the lock lost when 99% of the lease
 * has passed, because clocks may run at different rates.
 * <p>
 * A provider {@linkplain #withKeepAlive() with keep-alive} renews the lease while the
 * task runs. {@code lockAtMostFor} is then how long after a crash of this process the
 * task may run elsewhere. It must be at least 100 ms.
 * <p>
 * {@link SimpleLock#extend} changes the lease, and returns empty once the lock is lost.
 * Therefore, a {@link net.javacrumbs.shedlock.support.KeepAliveLockProvider} can wrap
 * this provider. If {@code unlock} is called before {@code lockAtLeastFor} has passed
 * since the acquisition or extension, the lock stays in the store for the rest of that
 * time. If its lease might end later, the provider deletes the lock at that time.
 * <p>
 * <b>Failures.</b> {@code lock} throws a {@link StateStoreException} if the store refused
 * the request, or did not answer within the lease or 10 s, whichever is shorter. If the
 * store may have granted the lock, the lock is released.
 * <p>
 * {@code extend} throws a {@code StateStoreException} if the store did not answer within
 * a sixth of the lease, at most 10 s. It also throws if the store's quota is exceeded. In
 * both cases, the lock stays held for the shorter of the old and the new lease. If the
 * store refuses an extension for another reason, the lock is lost and {@code extend}
 * returns empty. A lock that is lost before {@code lockAtLeastFor} has passed stays in
 * the store until its lease ends, unless it was deleted there.
 * <p>
 * {@code unlock} never throws because of a store failure. Unlocking a lost lock does not
 * affect its next holder. If the release does not reach the store, the lock ends with its
 * lease.
 * <p>
 * <b>Stop.</b> A stopping registry waits up to {@link LockOptions#stopTimeout()} for
 * running tasks. The locks of tasks that are still running then stay in the store until
 * these tasks end, but not longer than {@code lockAtMostFor}. {@code lock} throws
 * {@link IllegalStateException} until the registry is started again.
 * <p>
 * <b>Fencing.</b> ShedLock does not pass a token to its tasks. If the store must refuse
 * the writes of a task that has lost its lock, use a {@link FencedLock} instead.
 */
public final class StateStoreLockProvider implements ExtensibleLockProvider {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLockProvider.class);

	private final StateStoreLockRegistry registry;

	private final boolean keepAlive;

	/**
	 * Creates a provider that uses a registry's locks.
	 * @param registry registry whose key prefix and holder name are used, but not its
	 * lease
	 */
	public StateStoreLockProvider(StateStoreLockRegistry registry) {
		this(registry, false);
	}

	private StateStoreLockProvider(StateStoreLockRegistry registry, boolean keepAlive) {
		this.registry = registry;
		this.keepAlive = keepAlive;
	}

	/**
	 * Returns a provider that renews locks until they are unlocked. Do not combine it
	 * with {@link net.javacrumbs.shedlock.support.KeepAliveLockProvider}, which stops
	 * after one failed extension and requires a {@code lockAtMostFor} of at least 30 s. A
	 * lock is renewed after a third of {@code lockAtMostFor}. Failed renewals are
	 * retried.
	 * @return the provider with keep-alive
	 */
	public StateStoreLockProvider withKeepAlive() {
		return new StateStoreLockProvider(this.registry, true);
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		Duration lease = LeasedLock.requireAtMostFor(configuration.getLockAtMostFor(), this.keepAlive);
		LockTerms terms = new LockTerms(lease, this.keepAlive);
		Key key = this.registry.key(configuration.getName());
		LockTime time = this.registry.time();
		long lockedAt = time.nanoTime();
		WaitLimit limit = WaitLimit.ofOneRequest(time, terms.replyTimeout());
		return LockTime
			.uninterruptibly(() -> Optional
				.ofNullable(this.registry.measured(() -> this.registry.acquire(key, terms, limit, false, false))))
			.map((held) -> {
				held.lease().onLost(this::lost);
				return new LeasedLock(configuration, held.lease(), lockedAt);
			});
	}

	private void lost(LockLostEvent loss) {
		if (loss.reason() == Reason.EXPIRED && !this.keepAlive) {
			logger.warn("Lock {} ended after lockAtMostFor, but its task still runs and may also run elsewhere. "
					+ "Set lockAtMostFor to a time longer than the task takes", loss.key());
		}
		else {
			logger.warn("Lock {} was lost before it was unlocked: {}", loss.key(), loss.description());
		}
	}

	/** A task's lock. Unlocking or extending the lock invalidates this object. */
	static final class LeasedLock extends AbstractSimpleLock {

		private static final Duration MIN_AT_MOST_FOR = Duration.ofMillis(10);

		private static final Duration MAX_AT_MOST_FOR = Duration.ofDays(365);

		private final Lease lease;

		private final LockTime time;

		/** Time at which {@code lockAtLeastFor} ends. */
		private final long keptUntil;

		/**
		 * Creates a lock.
		 * @param lockedAt time at which {@code lockAtLeastFor} starts
		 */
		LeasedLock(LockConfiguration configuration, Lease lease, long lockedAt) {
			super(configuration);
			this.lease = lease;
			this.time = lease.lock().time();
			this.keptUntil = lockedAt + configuration.getLockAtLeastFor().toNanos();
			lease.keepUntil(this.keptUntil);
		}

		/** Returns {@code lockAtMostFor} in whole milliseconds, after a range check. */
		static Duration requireAtMostFor(Duration atMostFor, boolean keepAlive) {
			Duration least = keepAlive ? LockOptions.MIN_LEASE : MIN_AT_MOST_FOR;
			if (atMostFor.compareTo(least) < 0 || atMostFor.compareTo(MAX_AT_MOST_FOR) > 0) {
				throw new IllegalArgumentException("'lockAtMostFor' must be " + least.toMillis() + " ms to "
						+ MAX_AT_MOST_FOR.toDays() + " days, but is " + atMostFor
						+ ". Use a time longer than the task takes, after which the task may run elsewhere if this process dies");
			}
			return Duration.ofMillis(atMostFor.toMillis());
		}

		@Override
		protected void doUnlock() {
			Duration kept = Duration.ofNanos(this.keptUntil - this.time.nanoTime());
			if (kept.toMillis() > 0) {
				try {
					this.time.awaitUninterruptibly(this.lease.renew(kept));
				}
				catch (StateStoreException ex) {
					logger.warn("Lock {} is deleted after lockAtLeastFor, or ends after lockAtMostFor if this process "
							+ "cannot delete it: {}", this.lease.lock().key(), ex.getMessage());
				}
			}
			this.time.awaitUninterruptibly(this.lease.release());
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
			Duration atMostFor = requireAtMostFor(configuration.getLockAtMostFor(),
					this.lease.status().terms().renewing());
			long extendedAt = this.time.nanoTime();
			return this.time.awaitUninterruptibly(this.lease.renew(atMostFor))
					? Optional.of(new LeasedLock(configuration, this.lease, extendedAt)) : Optional.empty();
		}

	}

}
