package io.statestore.client.watch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One listener attached to a {@link WatchedKey}. Selects the changes that enter the
 * {@link DeliveryQueue} of the listener, according to its settings. Not thread-safe.
 */
final class AttachedListener {

	private final Settings settings;

	private final DeliveryQueue queue;

	private final Runnable onStarted;

	/** Changes that may be local writes, and later changes behind them. */
	private final Deque<HeldChange> held = new ArrayDeque<>();

	/** Whether the listener is still waiting for the current value. */
	private boolean initialPending;

	/** Whether an omitted change followed a gap, which the next change must report. */
	private boolean gap;

	/**
	 * Creates a listener that is still to be attached.
	 * @param onStarted called whenever the watch becomes active
	 */
	AttachedListener(Settings settings, DeliveryQueue queue, Runnable onStarted) {
		this.settings = settings;
		this.queue = queue;
		this.onStarted = onStarted;
		this.initialPending = settings.initial();
	}

	boolean isInitialPending() {
		return this.initialPending;
	}

	/** Reports that the watch is active. */
	void started() {
		this.onStarted.run();
	}

	/**
	 * Handles the current value, if the listener is waiting for it. It is delivered even
	 * if it is a local write.
	 * @param current {@code null} if there is no value
	 */
	void initial(@Nullable KeyChange<Bytes> current) {
		if (this.initialPending && current != null && accepts(current)) {
			this.queue.offer(current);
		}
		this.initialPending = false;
	}

	/** Handles a change that is newer than all changes before it. */
	void changed(KeyChange<Bytes> change, LocalWrites localWrites) {
		if (this.initialPending && change.operation() == Operation.SET) {
			// It is newer than the initial value, so GET will only confirm it.
			initial(DeliveryQueue.afterGap(change));
			return;
		}
		this.initialPending = false;
		KeyChange<Bytes> marked = reportGap(change);
		if (!accepts(change) || (this.settings.noLocal() && localWrites.contains(change))) {
			this.gap = marked.resynchronized();
		}
		else if (!this.settings.noLocal()
				|| (this.held.isEmpty() && localWrites.isSettled(localWrites.lastStarted()))) {
			this.queue.offer(marked);
		}
		else {
			hold(marked, localWrites.lastStarted());
		}
	}

	/** Returns the change, marked as resynchronized if a gap is to be reported. */
	private KeyChange<Bytes> reportGap(KeyChange<Bytes> change) {
		KeyChange<Bytes> marked = this.gap ? DeliveryQueue.afterGap(change) : change;
		this.gap = false;
		return marked;
	}

	private void hold(KeyChange<Bytes> change, long lastWrite) {
		long bytes = this.held.stream().mapToLong((next) -> QueueLimit.sizeOf(next.change())).sum();
		boolean full = !this.queue.limit().hasRoom(this.held.size(), bytes, change);
		if (full) {
			this.held.clear();
		}
		this.held.add(new HeldChange(full ? DeliveryQueue.afterGap(change) : change, lastWrite));
	}

	/** Drops held changes whose versions are known to be those of local writes. */
	void dropLocalWrites(LocalWrites localWrites) {
		List<HeldChange> all = List.copyOf(this.held);
		this.held.clear();
		boolean gapAfterAll = this.gap;
		this.gap = false;
		for (HeldChange next : all) {
			KeyChange<Bytes> change = reportGap(next.change());
			if (localWrites.contains(change)) {
				this.gap = change.resynchronized();
			}
			else {
				this.held.add(new HeldChange(change, next.lastWrite()));
			}
		}
		this.gap |= gapAfterAll;
	}

	/** Releases held changes whose local writes have settled. */
	void releaseSettled(LocalWrites localWrites) {
		HeldChange next = this.held.peek();
		while (next != null && localWrites.isSettled(next.lastWrite())) {
			this.queue.offer(next.change());
			this.held.remove();
			next = this.held.peek();
		}
	}

	private boolean accepts(KeyChange<Bytes> change) {
		return this.settings.operations().contains(change.operation());
	}

	/**
	 * Change that is held until local writes have settled.
	 *
	 * @param lastWrite id of the last local write that may have caused the change
	 */
	private record HeldChange(KeyChange<Bytes> change, long lastWrite) {
	}

}
