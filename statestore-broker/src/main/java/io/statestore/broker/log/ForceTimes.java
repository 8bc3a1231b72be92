package io.statestore.broker.log;

/**
 * Durations of forcing the log to the disk, in nanoseconds.
 *
 * @param count number of forces
 * @param total total duration
 * @param max longest duration
 */
record ForceTimes(long count, long total, long max) {

	static final ForceTimes NONE = new ForceTimes(0, 0, 0);

	ForceTimes plus(long nanos) {
		return new ForceTimes(this.count + 1, this.total + nanos, Math.max(this.max, nanos));
	}

}
