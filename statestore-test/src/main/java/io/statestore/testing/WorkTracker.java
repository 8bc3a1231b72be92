package io.statestore.testing;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Counts the work under way of all clients and servers that share a {@link TestTime}.
 * Work ends after the work that it causes has begun, so there is none when the count is
 * 0. Thread-safe; guarded by its monitor.
 */
final class WorkTracker {

	/** Maximum number of entries in the message about work that does not end. */
	private static final int MAX_NAMED = 10;

	private final ThreadLocal<@Nullable TrackedTask> current = new ThreadLocal<>();

	/** Tasks and activities that count as work. */
	private final Set<Object> busy = new LinkedHashSet<>();

	private final Duration limit;

	private int count;

	/**
	 * Creates a tracker without work.
	 * @param limit time of the system to wait for the end of all work
	 */
	WorkTracker(Duration limit) {
		this.limit = limit;
	}

	/** Creates a task that counts as work from now on. */
	TrackedTask task(Runnable task) {
		TrackedTask tracked = new TrackedTask(this, task);
		tracked.resume();
		return tracked;
	}

	TrackedActivity activity(String name) {
		return new TrackedActivity(this, name);
	}

	/** Returns whether the current thread runs a tracked task. */
	boolean isTracked() {
		return this.current.get() != null;
	}

	/** Returns the task of the current thread, {@code null} if there is none. */
	@Nullable TrackedTask current() {
		return this.current.get();
	}

	/** Sets the task of the current thread, and returns the one before. */
	@Nullable TrackedTask enter(@Nullable TrackedTask task) {
		TrackedTask before = this.current.get();
		this.current.set(task);
		return before;
	}

	/** Handles the start or end of a task. Called within the monitor. */
	void changed(TrackedTask task, boolean counts) {
		changed(task, counts ? 1 : -1, counts ? 1 : 0);
	}

	/**
	 * Handles a change of the work of a task or activity. Called within the monitor.
	 * @param change difference in the amount of work
	 * @param amount the amount after the change
	 */
	void changed(Object source, int change, int amount) {
		if (amount == 0) {
			this.busy.remove(source);
		}
		else {
			this.busy.add(source);
		}
		this.count += change;
		if (this.count == 0) {
			notifyAll();
		}
	}

	/**
	 * Waits until there is no work.
	 * @throws IllegalStateException if there still is after the limit, or if the thread
	 * is interrupted
	 */
	synchronized void awaitEnd() {
		long end = System.nanoTime() + this.limit.toNanos();
		boolean interrupted = false;
		while (this.count != 0 && !interrupted) {
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
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for " + describe());
		}
	}

	private String describe() {
		return this.busy.stream().limit(MAX_NAMED).map(Object::toString).collect(Collectors.joining(", "))
				+ ((this.busy.size() > MAX_NAMED) ? ", and " + (this.busy.size() - MAX_NAMED) + " more" : "");
	}

}
