package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;

import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** ShedLock's view of a lease. Unlocking or extending the lock invalidates it. */
final class LeasedLock extends AbstractSimpleLock {

	private static final Duration MIN_AT_MOST_FOR = Duration.ofMillis(10);

	private static final Duration MIN_WITH_KEEP_ALIVE = LockOptions.MIN_LEASE;

	private static final Duration MAX_AT_MOST_FOR = Duration.ofDays(365);

	private final Lease lease;

	private final LockTime time;

	private final long lockedAt;

	/**
	 * Creates a lock.
	 * @param lockedAt start of {@code lockAtLeastFor}
	 */
	LeasedLock(LockConfiguration configuration, Lease lease, LockTime time, long lockedAt) {
		super(configuration);
		this.lease = lease;
		this.time = time;
		this.lockedAt = lockedAt;
		lease.keepUntil(lockedAt + configuration.getLockAtLeastFor().toNanos());
	}

	/** Returns {@code lockAtMostFor} in whole milliseconds, after a range check. */
	static Duration requireAtMostFor(Duration atMostFor, boolean keepAlive) {
		Duration least = keepAlive ? MIN_WITH_KEEP_ALIVE : MIN_AT_MOST_FOR;
		if (atMostFor.compareTo(least) < 0 || atMostFor.compareTo(MAX_AT_MOST_FOR) > 0) {
			throw new IllegalArgumentException("'lockAtMostFor' must be " + least.toMillis() + " ms to "
					+ MAX_AT_MOST_FOR.toDays() + " days, but is " + atMostFor
					+ ". Use a time longer than the task takes, after which the task may run elsewhere if this process dies");
		}
		return Duration.ofMillis(atMostFor.toMillis());
	}

	@Override
	protected void doUnlock() {
		Duration held = Duration.ofNanos(this.time.nanoTime() - this.lockedAt);
		Duration keep = this.lockConfiguration.getLockAtLeastFor().minus(held);
		Futures.awaitUninterruptibly(this.lease.release(keep.isNegative() ? Duration.ZERO : keep), this.time);
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
		Duration atMostFor = requireAtMostFor(configuration.getLockAtMostFor(), this.lease.terms().renewing());
		long extendedAt = this.time.nanoTime();
		return Futures.awaitUninterruptibly(this.lease.renew(atMostFor), this.time)
				? Optional.of(new LeasedLock(configuration, this.lease, this.time, extendedAt)) : Optional.empty();
	}

}
