package io.statestore.dafka;

/** Clock for the timers of a node. Must be thread-safe. Tests replace it. */
@FunctionalInterface
public interface Ticker {

	/** Clock of the operating system. */
	Ticker SYSTEM = System::nanoTime;

	/**
	 * Returns the time. Only the difference between two times is meaningful.
	 * @return time in nanoseconds since an arbitrary origin
	 */
	long nanos();

}
