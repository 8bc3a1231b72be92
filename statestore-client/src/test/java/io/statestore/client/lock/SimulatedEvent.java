package io.statestore.client.lock;

import org.jspecify.annotations.Nullable;

/**
 * Event of a simulated world.
 *
 * @param time of the event
 * @param sequence number, which decides between events at the same time
 * @param node process on which the event occurs, {@code null} for an event of the world
 * @param action of the event
 */
record SimulatedEvent(long time, long sequence, @Nullable SimulatedNode node,
		Runnable action) implements Comparable<SimulatedEvent> {

	void run() {
		if (this.node == null) {
			this.action.run();
		}
		else {
			this.node.run(this.action);
		}
	}

	@Override
	public int compareTo(SimulatedEvent other) {
		int byTime = Long.compare(this.time, other.time);
		return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
	}

}
