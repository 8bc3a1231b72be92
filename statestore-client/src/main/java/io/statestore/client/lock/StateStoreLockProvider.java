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
 * Lock provider of ShedLock that keeps its locks in a state store. Requires
 * {@code net.javacrumbs.shedlock:shedlock-core}. Safe for use by several threads.
 * <p>
 * <b>Names.</b> A task and a lock that the registry
 * {@linkplain StateStoreLockRegistry#obtain returns} for the name of the task exclude
 * each other.
 * <p>
 * <b>Threads.</b> A lock belongs to the {@link SimpleLock}, not to a thread. It cannot be
 * acquired a second time, even by the same thread. Any thread may unlock it.
 * <p>
 * <b>Lease.</b> {@code lockAtMostFor} is the lease, 10 ms to 365 days in whole
 * milliseconds. It is not renewed. A task that takes longer continues without the lock,
 * which is logged. The holder considers the lock lost 1 % before the end of the lease,
 * which allows for clocks that run at different rates.
 * <p>
 * A provider {@linkplain #withKeepAlive() with keep-alive} renews the lease while the
 * task runs. {@code lockAtMostFor} is then the time after which the task may run
 * elsewhere if this process dies, and must be at least 100 ms.
 * <p>
 * {@link SimpleLock#extend} changes the lease, and returns empty once the lock is lost.
 * So a {@link net.javacrumbs.shedlock.support.KeepAliveLockProvider} can wrap this
 * provider. An {@code unlock} before {@code lockAtLeastFor} leaves the lock in the store
 * for the rest of that time, counted from the acquisition or the extension. If the store
 * does not confirm this time, the provider deletes the lock at its end.
 * <p>
 * <b>Failures.</b> {@code lock} throws a {@link StateStoreException} if the store
 * refused, or did not answer within the lease or 10 s, whichever is shorter. A lock that
 * the store may have granted is released.
 * <p>
 * {@code extend} throws a {@code StateStoreException} if the store did not answer within
 * a sixth of the lease, 10 s at most. It also throws if the quota of the store is
 * exceeded. The lock then stays held for the shorter of the two leases. If the store
 * refuses an extension for another reason, the lock is lost and {@code extend} returns
 * empty. A lock that is lost before {@code lockAtLeastFor} stays in the store up to the
 * end of its lease, unless it was deleted there.
 * <p>
 * {@code unlock} never throws because of the store. It does not affect the next holder of
 * a lost lock. If the release does not reach the store, the lock ends with its lease.
 * <p>
 * <b>Stop.</b> A registry that stops waits up to {@link LockOptions#stopTimeout()} for
 * running tasks. The locks of tasks that still run stay in the store until these tasks
 * end, for {@code lockAtMostFor} at most. {@code lock} throws
 * {@link IllegalStateException} until the registry is started.
 * <p>
 * <b>Fencing.</b> ShedLock does not pass a token to its tasks. Use a {@link FencedLock}
 * instead if the store must refuse the writes of a task that has lost its lock.
 */
public final class StateStoreLockProvider implements ExtensibleLockProvider {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLockProvider.class);

	private final StateStoreLockRegistry registry;

	private final boolean keepAlive;

	/**
	 * Creates a provider that uses a registry's locks.
	 * @param registry supplies the key prefix and the holder name; its lease is not used
	 */
	public StateStoreLockProvider(StateStoreLockRegistry registry) {
		this(registry, false);
	}

	private StateStoreLockProvider(StateStoreLockRegistry registry, boolean keepAlive) {
		this.registry = registry;
		this.keepAlive = keepAlive;
	}

	/**
	 * Returns a provider that renews locks until they are unlocked. It needs no
	 * {@link net.javacrumbs.shedlock.support.KeepAliveLockProvider}, which stops after
	 * one failed extension and requires a {@code lockAtMostFor} of at least 30 s. A lock
	 * is renewed after a third of {@code lockAtMostFor}, and again after a failed
	 * renewal.
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

	/** Lock of a task. Unlocking or extending the lock invalidates it. */
	static final class LeasedLock extends AbstractSimpleLock {

		private static final Duration MIN_AT_MOST_FOR = Duration.ofMillis(10);

		private static final Duration MAX_AT_MOST_FOR = Duration.ofDays(365);

		private final Lease lease;

		private final LockTime time;

		/** End of {@code lockAtLeastFor}. */
		private final long keptUntil;

		/**
		 * Creates a lock.
		 * @param lockedAt start of {@code lockAtLeastFor}
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
