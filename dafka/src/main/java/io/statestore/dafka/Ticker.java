package io.statestore.dafka;

/** Clock for a node's timers. Must be thread-safe. Tests replace it. */
@FunctionalInterface
public interface Ticker {

	/** Clock based on {@link System#nanoTime()}. */
	Ticker SYSTEM = System::nanoTime;

	/**
	 * Returns the current time. Only the difference between two readings is meaningful.
	 * @return time in nanoseconds since an arbitrary origin
	 */
	long nanos();

}
