package io.statestore.testing;

import org.jspecify.annotations.Nullable;

/** A task that counts as work until it ends, except while it is suspended. */
final class TrackedTask implements Runnable {

	private final WorkTracker tracker;

	private final Runnable task;

	private volatile @Nullable Thread thread;

	/** Whether this task counts as work. The tracker guards it. */
	private boolean counted;

	/** Whether this task has ended. The tracker guards it. */
	private boolean ended;

	TrackedTask(WorkTracker tracker, Runnable task) {
		this.tracker = tracker;
		this.task = task;
	}

	@Override
	public void run() {
		this.thread = Thread.currentThread();
		TrackedTask outer = this.tracker.enter(this);
		if (outer != null) {
			// This task counts in its place, so that a wait suspends both.
			outer.suspend();
		}
		try {
			this.task.run();
		}
		finally {
			this.tracker.enter(outer);
			if (outer != null) {
				outer.resume();
			}
			end();
		}
	}

	/** Stops counting as work until {@link #resume()}. */
	void suspend() {
		synchronized (this.tracker) {
			count(false);
		}
	}

	/** Counts as work, unless this task has ended. */
	void resume() {
		synchronized (this.tracker) {
			count(!this.ended);
		}
	}

	/** Ends this task, whether or not it has run. */
	void end() {
		synchronized (this.tracker) {
			this.ended = true;
			count(false);
		}
	}

	private void count(boolean counts) {
		if (this.counted != counts) {
			this.counted = counts;
			this.tracker.changed(this, counts);
		}
	}

	@Override
	public String toString() {
		Thread thread = this.thread;
		if (thread == null) {
			return "a task that has not begun (" + this.task.getClass().getName() + ')';
		}
		String place = "";
		for (StackTraceElement frame : thread.getStackTrace()) {
			if (!frame.getClassName().startsWith("java.") && !frame.getClassName().startsWith("jdk.")) {
				place = " at " + frame;
				break;
			}
		}
		return "thread '" + thread.getName() + '\'' + place;
	}

}
