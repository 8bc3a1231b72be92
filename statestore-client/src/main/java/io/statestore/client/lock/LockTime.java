package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.time.TimeSource;

/** Clock, timer, and source of random numbers of locks, which tests can replace. */
interface LockTime {

	/**
	 * Returns a monotonic time in nanoseconds. Only differences are meaningful; changes
	 * of the wall clock do not affect them.
	 */
	long nanoTime();

	/**
	 * Runs a task once the delay has passed.
	 * @param task must not block
	 * @return cancels the task
	 */
	Runnable schedule(Duration delay, Runnable task);

	/** Returns the time by which threads wait. */
	default TimeSource source() {
		return TimeSource.SYSTEM;
	}

	/** Returns a random number, at least 0 and less than 1. */
	double random();

}
