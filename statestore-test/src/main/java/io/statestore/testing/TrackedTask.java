package io.statestore.testing;

import org.jspecify.annotations.Nullable;

/** Task that counts as work until it ends, except while suspended. */
final class TrackedTask extends TrackedActivity implements Runnable {

	private final WorkTracker tracker;

	private final Runnable task;

	private volatile @Nullable Thread thread;

	TrackedTask(WorkTracker tracker, Runnable task) {
		super(tracker, "task");
		this.tracker = tracker;
		this.task = task;
		resume();
	}

	@Override
	public void run() {
		this.thread = Thread.currentThread();
		TrackedTask outer = this.tracker.enter(this);
		if (outer != null) {
			// This task counts instead of the outer task, so that a wait suspends both.
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
			close();
		}
	}

	/** Stops counting as work until {@link #resume()}. */
	void suspend() {
		set(0);
	}

	/** Counts as work, unless this task has ended. */
	void resume() {
		set(1);
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
