package io.statestore.broker.log;

/** Durations of forcing the log to the disk. Written under a lock, read by any thread. */
final class ForceTimes {

	private volatile long count;

	private volatile long total;

	private volatile long max;

	private volatile long last;

	/** Adds a duration. Requires external synchronization. */
	@SuppressWarnings("NonAtomicOperationOnVolatileField")
	void add(long nanos) {
		this.last = nanos;
		this.max = Math.max(this.max, nanos);
		this.total += nanos;
		this.count++;
	}

	long count() {
		return this.count;
	}

	long total() {
		return this.total;
	}

	long max() {
		return this.max;
	}

	long last() {
		return this.last;
	}

}
