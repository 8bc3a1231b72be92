package io.statestore.client.observation;

import java.util.ArrayDeque;
import java.util.Deque;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.protocol.Bytes;

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

	/** Whether the listener still has to hear of the current value. */
	boolean initialPending() {
		return this.initialPending;
	}

	void started() {
		this.onStarted.run();
	}

	/** There is no current value to begin with. */
	void noInitial() {
		this.initialPending = false;
	}

	/** The current value, whoever wrote it. */
	void initial(KeyChange<Bytes> change) {
		this.initialPending = false;
		if (this.waiting.isEmpty()) {
			deliver(change);
		}
		else {
			await(change, 0);
		}
	}

	void changed(KeyChange<Bytes> change, OwnWrites own) {
		this.initialPending = false;
		if (!ignoresOwn()) {
			deliver(change);
		}
		else if (!own.isOwn(change)) {
			if (this.waiting.isEmpty() && own.isSettled(own.lastStarted())) {
				deliver(change);
			}
			else {
				await(change, own.lastStarted());
			}
		}
	}

	private void await(KeyChange<Bytes> change, long lastWrite) {
		KeyChange<Bytes> latest = change;
		if (this.waiting.size() >= this.lane.capacity()) {
			this.waiting.clear();
			latest = Lane.afterGap(change);
		}
		this.waiting.add(new Waiting(latest, lastWrite));
	}

	/** The version of one of our writes has become known. */
	void dropOwn(OwnWrites own) {
		this.waiting.removeIf((waiting) -> own.isOwn(waiting.change()));
	}

	/** Let go of what need not wait any more. */
	void settle(OwnWrites own) {
		Waiting next = this.waiting.peek();
		while (next != null && own.isSettled(next.lastWrite())) {
			deliver(next.change());
			this.waiting.remove();
			next = this.waiting.peek();
		}
	}

	private void deliver(KeyChange<Bytes> change) {
		if (this.settings.operations().contains(change.operation())) {
			this.lane.offer(change);
		}
	}

	/**
	 * @param lastWrite the change may be that of a write up to this one
	 */
	private record Waiting(KeyChange<Bytes> change, long lastWrite) {
	}

}
