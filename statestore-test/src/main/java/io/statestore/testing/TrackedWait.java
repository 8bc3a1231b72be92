package io.statestore.testing;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * One wait of a thread. Its task counts as work again from the end of the wait, even
 * before the thread continues.
 */
final class TrackedWait {

	private final CountDownLatch ended = new CountDownLatch(1);

	private final @Nullable TrackedTask task;

	/** Creates a wait, whose task may be {@code null} for a thread of the test. */
	TrackedWait(@Nullable TrackedTask task) {
		this.task = task;
	}

	/** Stops counting the task as work unless the wait has ended. */
	synchronized void suspendTask() {
		if (this.task != null && this.ended.getCount() > 0) {
			this.task.suspend();
		}
	}

	/** Ends the wait. */
	synchronized void end() {
		if (this.task != null && this.ended.getCount() > 0) {
			this.task.resume();
		}
		this.ended.countDown();
	}

	/** Waits up to a limit in time of the system, and returns whether this has ended. */
	boolean await(Duration limit) throws InterruptedException {
		return this.ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
	}

}
