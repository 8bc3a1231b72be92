package io.statestore.broker.log;

/**
 * How long forcing the log to disk took, in nanoseconds.
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
