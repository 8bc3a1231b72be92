package io.statestore.broker.linearizability;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The call or the end of an operation, in a list from which linearized operations are
 * removed (Lowe 2017, section 4).
 */
final class Event {

	/** Number of the operation. */
	final int index;

	/** The operation that is called, or {@code null} for the end of an operation. */
	private final @Nullable Operation operation;

	final long time;

	/** The end that belongs to a call, or {@code null} if the operation has none. */
	private @Nullable Event end;

	private @Nullable Event previous;

	private @Nullable Event next;

	private Event(int index, @Nullable Operation operation, long time) {
		this.index = index;
		this.operation = operation;
		this.time = time;
	}

	/**
	 * Returns the head of a list of events, ordered by time.
	 * @param operations operations, ordered by invocation
	 */
	static Event list(List<Operation> operations) {
		List<Event> events = new ArrayList<>();
		for (int i = 0; i < operations.size(); i++) {
			Operation operation = operations.get(i);
			Event call = new Event(i, operation, operation.invoked());
			events.add(call);
			if (operation.hasEnded()) {
				call.end = new Event(i, null, operation.returned());
				events.add(call.end);
			}
		}
		// At equal times, calls come first: the operations may overlap.
		events.sort(Comparator.<Event>comparingLong((event) -> event.time).thenComparing(Event::isEnd));
		Event head = new Event(-1, null, Long.MIN_VALUE);
		Event last = head;
		for (Event event : events) {
			last.next = event;
			event.previous = last;
			last = event;
		}
		return head;
	}

	@Nullable Event next() {
		return this.next;
	}

	Event nextOrFail() {
		return Objects.requireNonNull(this.next);
	}

	boolean isEnd() {
		return this.operation == null;
	}

	/** Returns whether this is a call without an end. */
	boolean isOpen() {
		return this.operation != null && this.end == null;
	}

	Operation operation() {
		return Objects.requireNonNull(this.operation);
	}

	/** Removes this call and its end from the list. */
	void remove() {
		unlink(this);
		if (this.end != null) {
			unlink(this.end);
		}
	}

	/** Reverts {@link #remove()}. Events must be restored in reverse order of removal. */
	void restore() {
		if (this.end != null) {
			link(this.end);
		}
		link(this);
	}

	private static void unlink(Event event) {
		if (event.previous != null) {
			event.previous.next = event.next;
		}
		if (event.next != null) {
			event.next.previous = event.previous;
		}
	}

	private static void link(Event event) {
		if (event.previous != null) {
			event.previous.next = event;
		}
		if (event.next != null) {
			event.next.previous = event;
		}
	}

}
