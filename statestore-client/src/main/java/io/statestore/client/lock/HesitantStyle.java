package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Style of waiting for a successor lock. After a release each waiter pauses for a random
 * time, and does not request the lock if another waiter was faster.
 */
final class HesitantStyle implements WaitStyle {

	private static final Duration MAX_PAUSE = Duration.ofMillis(20);

	/**
	 * A successor lock is renewed or expires within {@link SuccessorLock#MAX_LEASE}. A
	 * value that stays the same for longer is not a successor lock.
	 */
	private static final Duration MAX_UNCHANGED = SuccessorLock.MAX_LEASE.plusSeconds(1);

	private final LockTime time;

	private long releasedAt;

	private @Nullable Version stored;

	/** When {@link #stored} was seen first. */
	private long storedSince;

	HesitantStyle(LockTime time) {
		this.time = time;
		this.releasedAt = time.nanoTime();
	}

	/**
	 * At most half the time for which the lock was held, so that there is a successor
	 * before the lock is released again.
	 */
	@Override
	public Duration pauseAfterRelease() {
		long now = this.time.nanoTime();
		Duration half = Duration.ofNanos((now - this.releasedAt) / 2);
		this.releasedAt = now;
		return Duration.ofNanos((long) (LockTerms.min(half, MAX_PAUSE).toNanos() * this.time.random()));
	}

	@Override
	public boolean givesUp(Version stored) {
		long now = this.time.nanoTime();
		if (!stored.equals(this.stored)) {
			this.stored = stored;
			this.storedSince = now;
		}
		return now - this.storedSince > MAX_UNCHANGED.toNanos();
	}

}
