package io.statestore.protocol;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

/** Measures what this thread allocates. */
final class Allocation {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private Allocation() {
	}

	/** Bytes allocated by a task; what it throws of the protocol is swallowed. */
	private static long of(Runnable task) {
		long before = THREADS.getCurrentThreadAllocatedBytes();
		try {
			task.run();
		}
		catch (ProtocolException ex) {
			// Refused input has to be cheap too.
		}
		return THREADS.getCurrentThreadAllocatedBytes() - before;
	}

	/** The same, where the first run also loads what the task uses. */
	static long warm(Runnable task) {
		return Math.min(of(task), of(task));
	}

}
