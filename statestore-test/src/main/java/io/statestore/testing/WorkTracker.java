package io.statestore.testing;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Tracks the work of all clients and servers that share a {@link TestTime}. Work ends
 * only after the work that it causes has begun, so once there is no work, no more
 * follows. Thread-safe; guarded by its monitor.
 */
final class WorkTracker {

	/** Maximum number of tasks named in the message about work that does not end. */
	private static final int MAX_NAMED = 10;

	private final ThreadLocal<@Nullable TrackedTask> current = new ThreadLocal<>();

	/** Tasks and activities that count as work. */
	private final Set<TrackedActivity> busy = new LinkedHashSet<>();

	private final Duration limit;

	/**
	 * Creates a tracker without work.
	 * @param limit how long to wait for the end of all work, by the system clock
	 */
	WorkTracker(Duration limit) {
		this.limit = limit;
	}

	/** Returns the current thread's task; {@code null} if there is none. */
	@Nullable TrackedTask current() {
		return this.current.get();
	}

	/** Sets the current thread's task and returns its previous task. */
	@Nullable TrackedTask enter(@Nullable TrackedTask task) {
		TrackedTask before = this.current.get();
		this.current.set(task);
		return before;
	}

	/** Handles a task or activity that now has work or has none anymore. */
	synchronized void changed(TrackedActivity source, boolean busy) {
		if (busy) {
			this.busy.add(source);
		}
		else if (this.busy.remove(source) && this.busy.isEmpty()) {
			notifyAll();
		}
	}

	/**
	 * Waits until there is no work.
	 * @throws IllegalStateException if there is still work after the limit or the thread
	 * is interrupted
	 */
	synchronized void awaitEnd() {
		long end = System.nanoTime() + this.limit.toNanos();
		while (!this.busy.isEmpty()) {
			long left = end - System.nanoTime();
			if (left <= 0) {
				throw new IllegalStateException(
						"The time cannot pass, because this has not ended within " + this.limit.toSeconds() + " s: "
								+ describe() + ". Check for code that blocks in a listener or callback");
			}
			try {
				wait(Math.max(1, left / 1_000_000));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while waiting for " + describe());
			}
		}
	}

	private String describe() {
		return this.busy.stream().limit(MAX_NAMED).map(Object::toString).collect(Collectors.joining(", "))
				+ ((this.busy.size() > MAX_NAMED) ? ", and " + (this.busy.size() - MAX_NAMED) + " more" : "");
	}

}
