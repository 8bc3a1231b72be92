package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Style of waiting for a successor lock. After a release each waiter pauses for a random
 * time. It requests the lock only if no other waiter was faster.
 */
final class HesitantStyle implements WaitStyle {

	private static final Duration MAX_PAUSE = Duration.ofMillis(20);

	/**
	 * Longest time for which a successor lock keeps its version. It is renewed or expires
	 * earlier, so a value that stays the same for longer is not a successor lock.
	 */
	private static final Duration MAX_UNCHANGED = LockTerms.MAX_SUCCESSOR_LEASE.plusSeconds(1);

	private final LockTime time;

	/** Time of the latest release, or of the beginning of the wait. */
	private long releasedAt;

	/** Version of the key in the latest refusal. */
	private @Nullable Version stored;

	/** Time of the first refusal with {@link #stored}. */
	private long storedSince;

	HesitantStyle(LockTime time) {
		this.time = time;
		this.releasedAt = time.nanoTime();
	}

	/**
	 * Records a release.
	 * @return the pause before the next request. It is at most half the time for which
	 * the lock was held, so that there is a successor before the next release
	 */
	@Override
	public Duration recordRelease() {
		long now = this.time.nanoTime();
		Duration half = Duration.ofNanos((now - this.releasedAt) / 2);
		this.releasedAt = now;
		return Duration.ofNanos((long) (LockTerms.min(half, MAX_PAUSE).toNanos() * this.time.random()));
	}

	@Override
	public boolean recordRefusal(Version stored) {
		long now = this.time.nanoTime();
		if (!stored.equals(this.stored)) {
			this.stored = stored;
			this.storedSince = now;
		}
		return now - this.storedSince > MAX_UNCHANGED.toNanos();
	}

}
