package io.statestore.client.lock;

import java.time.Duration;

/**
 * Pauses between the requests of an acquisition. Each is shortened by a random part of up
 * to a quarter, so that the requests of many waiters do not coincide.
 */
final class RequestPauses {

	/** Pause after the first failure, which doubles with each further one. */
	private static final Duration FIRST_RETRY = Duration.ofMillis(50);

	private static final Duration MAX_RETRY = Duration.ofSeconds(1);

	private static final Duration MAX_COMPETING = Duration.ofMinutes(1);

	private final LockTime time;

	private final Duration lease;

	RequestPauses(LockTime time, Duration lease) {
		this.time = time;
		this.lease = lease;
	}

	/**
	 * Returns the pause after failed requests.
	 * @param failures number of consecutive failures, at least 1
	 */
	Duration afterFailure(int failures) {
		return jittered(LockTerms.min(FIRST_RETRY.multipliedBy(1L << Math.min(failures - 1, 10)), MAX_RETRY));
	}

	/** Returns the pause while this waiter waits for the successor lock. */
	Duration whileCompeting() {
		return jittered(LockTerms.min(this.lease.multipliedBy(2), MAX_COMPETING));
	}

	/** Returns the pause while changes of the lock are notified. */
	Duration whileWatching() {
		return jittered(this.lease);
	}

	/** Returns the pause while changes of the lock are not notified. */
	Duration whileUnwatched() {
		return jittered(LockTerms.min(this.lease.dividedBy(10), MAX_RETRY));
	}

	private Duration jittered(Duration pause) {
		return pause.minus(Duration.ofNanos((long) (pause.toNanos() * this.time.random() / 4)));
	}

}
