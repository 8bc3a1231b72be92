package io.statestore.client.lock;

import java.time.Duration;

/** Time and chance as locks know them, so that tests can have their own. */
interface LockTime {

	/** Monotonic: differences of it are durations, whatever happens to the wall clock. */
	long nanoTime();

	/**
	 * Run a task that does not block, not before the delay has passed.
	 * @return cancels it
	 */
	Runnable schedule(Duration delay, Runnable task);

	/** 0 to 1, so that many waiters do not do the same at once. */
	double random();

}
