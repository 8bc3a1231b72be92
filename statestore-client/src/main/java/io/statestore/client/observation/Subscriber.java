package io.statestore.client.observation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One listener of an observed key, seen from the {@link KeyMachine}: decides which
 * changes go into its {@link Lane}. Not thread-safe.
 */
final class Subscriber {

	private final Settings settings;

	private final Lane lane;

	private final Runnable onStarted;

	/** Changes that may be ours, and those after them. */
	private final Deque<Waiting> waiting = new ArrayDeque<>();

	private boolean initialPending;

	/** Changes may have been left out before the next one. */
	private boolean gap;

	/**
	 * @param onStarted called when the observation is in place
	 */
	Subscriber(Settings settings, Lane lane, Runnable onStarted) {
		this.settings = settings;
		this.lane = lane;
		this.onStarted = onStarted;
		this.initialPending = settings.initial();
	}

	boolean ignoresOwn() {
		return this.settings.ignoreOwn();
	}

	boolean isDirect() {
		return this.settings.direct();
	}

	/** Whether the listener still has to hear of the current value. */
	boolean initialPending() {
		return this.initialPending;
	}

	void started() {
		this.onStarted.run();
	}

	/**
	 * Handles the initial value, including one that this application wrote.
	 * @param current {@code null} if there is no value
	 */
	void initial(@Nullable KeyChange<Bytes> current) {
		this.initialPending = false;
		if (current != null && accepts(current)) {
			this.lane.offer(current);
		}
	}

	void changed(KeyChange<Bytes> change, OwnWrites own) {
		if (this.initialPending && change.operation() == Operation.SET) {
			// The current value by now; the reading will only confirm it.
			initial(Lane.afterGap(change));
			return;
		}
		this.initialPending = false;
		KeyChange<Bytes> marked = mark(change);
		if (!accepts(change) || (ignoresOwn() && own.isOwn(change))) {
			this.gap = marked.resynchronised();
		}
		else if (!ignoresOwn() || (this.waiting.isEmpty() && own.isSettled(own.lastStarted()))) {
			this.lane.offer(marked);
		}
		else {
			await(marked, own.lastStarted());
		}
	}

	/** Says of changes before it what one that was left out would have said. */
	private KeyChange<Bytes> mark(KeyChange<Bytes> change) {
		KeyChange<Bytes> marked = this.gap ? Lane.afterGap(change) : change;
		this.gap = false;
		return marked;
	}

	private void await(KeyChange<Bytes> change, long lastWrite) {
		long bytes = this.waiting.stream().mapToLong((next) -> QueueLimit.sizeOf(next.change())).sum();
		boolean full = !this.lane.limit().hasRoom(this.waiting.size(), bytes, change);
		if (full) {
			this.waiting.clear();
		}
		this.waiting.add(new Waiting(full ? Lane.afterGap(change) : change, lastWrite));
	}

	/** The version of one of our writes has become known. */
	void dropOwn(OwnWrites own) {
		List<Waiting> all = List.copyOf(this.waiting);
		this.waiting.clear();
		boolean gapAfterAll = this.gap;
		this.gap = false;
		for (Waiting next : all) {
			KeyChange<Bytes> change = mark(next.change());
			if (own.isOwn(change)) {
				this.gap = change.resynchronised();
			}
			else {
				this.waiting.add(new Waiting(change, next.lastWrite()));
			}
		}
		this.gap |= gapAfterAll;
	}

	/** Delivers waiting changes whose local writes have settled. */
	void settle(OwnWrites own) {
		Waiting next = this.waiting.peek();
		while (next != null && own.isSettled(next.lastWrite())) {
			this.lane.offer(next.change());
			this.waiting.remove();
			next = this.waiting.peek();
		}
	}

	private boolean accepts(KeyChange<Bytes> change) {
		return this.settings.operations().contains(change.operation());
	}

	/**
	 * @param lastWrite the change may be that of a write up to this one
	 */
	private record Waiting(KeyChange<Bytes> change, long lastWrite) {
	}

}
