package io.statestore.testing;

import io.statestore.time.Activity;

/** Activity whose work a {@link WorkTracker} counts. */
final class TrackedActivity implements Activity {

	private final WorkTracker tracker;

	private final String name;

	private int count;

	private boolean closed;

	TrackedActivity(WorkTracker tracker, String name) {
		this.tracker = tracker;
		this.name = name;
	}

	@Override
	public void add(int change) {
		synchronized (this.tracker) {
			if (!this.closed) {
				this.count += change;
				this.tracker.changed(this, change, this.count);
			}
		}
	}

	@Override
	public void close() {
		synchronized (this.tracker) {
			add(-this.count);
			this.closed = true;
		}
	}

	@Override
	public String toString() {
		return this.count + " " + this.name;
	}

}
