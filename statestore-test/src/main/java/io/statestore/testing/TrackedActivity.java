package io.statestore.testing;

import io.statestore.time.Activity;

/** Activity whose work is counted by a {@link WorkTracker}. */
class TrackedActivity implements Activity {

	private final WorkTracker tracker;

	private final String name;

	/** Amount of work. Guarded by the tracker, like all state. */
	private int count;

	private boolean closed;

	TrackedActivity(WorkTracker tracker, String name) {
		this.tracker = tracker;
		this.name = name;
	}

	@Override
	public void add(int change) {
		synchronized (this.tracker) {
			set(this.count + change);
		}
	}

	/** Sets the amount of work, unless this activity has ended. */
	final void set(int count) {
		synchronized (this.tracker) {
			if (!this.closed) {
				this.count = count;
				this.tracker.changed(this, count != 0);
			}
		}
	}

	@Override
	public void close() {
		synchronized (this.tracker) {
			set(0);
			this.closed = true;
		}
	}

	@Override
	public String toString() {
		return this.count + " " + this.name;
	}

}
