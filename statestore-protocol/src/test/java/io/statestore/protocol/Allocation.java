package io.statestore.protocol;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

/** Measures the memory that this thread allocates. */
final class Allocation {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private Allocation() {
	}

	/** Returns the bytes that a task allocates. Ignores protocol exceptions. */
	private static long of(Runnable task) {
		long before = THREADS.getCurrentThreadAllocatedBytes();
		try {
			task.run();
		}
		catch (ProtocolException ex) {
			// Refused input must not allocate much either
		}
		return THREADS.getCurrentThreadAllocatedBytes() - before;
	}

	/** Returns the bytes that a second run of a task allocates, without class loading. */
	static long warm(Runnable task) {
		return Math.min(of(task), of(task));
	}

}
