package io.statestore.protocol;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

/** Measures the memory that this thread allocates. */
final class Allocation {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private Allocation() {
	}

	/** Returns how many bytes a task allocates. Ignores protocol exceptions. */
	private static long of(Runnable task) {
		long before = THREADS.getCurrentThreadAllocatedBytes();
		try {
			task.run();
		}
		catch (ProtocolException ex) {
			// Rejected input must not cause large allocations either
		}
		return THREADS.getCurrentThreadAllocatedBytes() - before;
	}

	/**
	 * Returns how many bytes the second run of a task allocates, which excludes class
	 * loading.
	 */
	static long warm(Runnable task) {
		return Math.min(of(task), of(task));
	}

}
