package io.statestore.client.watch;

import java.time.Duration;
import java.util.PriorityQueue;

/** Virtual time: runs scheduled actions in order, without waiting. */
final class VirtualTime {

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private long now;

	private long count;

	long now() {
		return this.now;
	}

	void after(long millis, Runnable action) {
		schedule(millis, action);
	}

	Runnable schedule(Duration delay, Runnable action) {
		return schedule(delay.toMillis(), action);
	}

	private Runnable schedule(long millis, Runnable action) {
		Event event = new Event(this.now + millis, this.count++, action);
		this.events.add(event);
		return () -> this.events.remove(event);
	}

	/** Advances the time, and runs the actions that become due. */
	void pass(long millis) {
		long end = this.now + millis;
		while (!this.events.isEmpty() && this.events.peek().time() <= end) {
			Event event = this.events.remove();
			this.now = event.time();
			event.action().run();
		}
		this.now = end;
	}

	private record Event(long time, long number, Runnable action) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			int result = Long.compare(this.time, other.time);
			return (result != 0) ? result : Long.compare(this.number, other.number);
		}

	}

}
