package io.statestore.client.watch;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of a key that wait for a listener. The changes are delivered in order, one at a
 * time, on an executor's threads. If the queue is full, a new change replaces all waiting
 * changes and is marked as resynchronized. Thread-safe.
 */
final class DeliveryQueue {

	private enum State {

		/** The queue is empty and does not have a task. */
		IDLE,

		/** The executor has the queue's task, which has not begun. */
		SCHEDULED,

		/** The task delivers changes. */
		RUNNING

	}

	private static final Logger logger = LoggerFactory.getLogger(DeliveryQueue.class);

	/**
	 * Maximum number of changes that a task delivers before its thread is free for other
	 * queues.
	 */
	private static final int BATCH = 32;

	private final Queue<KeyChange<Bytes>> changes = new ArrayDeque<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private final String listenerId;

	private final RetryingExecutor executor;

	private final QueueLimit limit;

	private final DeliveryCounters counters;

	private final Consumer<KeyChange<Bytes>> listener;

	private State state = State.IDLE;

	/** Total length of the values in the queue. */
	private long bytes;

	/** Whether changes were dropped since the queue was last empty. */
	private boolean overflown;

	private boolean closed;

	/**
	 * Creates an empty queue.
	 * @param counters the counters, which are shared with other queues
	 * @param listener receives the changes; should not throw
	 */
	DeliveryQueue(String listenerId, RetryingExecutor executor, QueueLimit limit, DeliveryCounters counters,
			Consumer<KeyChange<Bytes>> listener) {
		this.listenerId = listenerId;
		this.executor = executor;
		this.limit = limit;
		this.counters = counters;
		this.listener = listener;
	}

	RetryingExecutor executor() {
		return this.executor;
	}

	QueueLimit limit() {
		return this.limit;
	}

	/** Adds a change unless the queue is closed. Never blocks. */
	void offer(KeyChange<Bytes> change) {
		boolean logOverflow = false;
		int dropped = 0;
		long droppedBytes = 0;
		boolean idle;
		synchronized (this) {
			if (this.closed) {
				return;
			}
			if (this.limit.hasRoom(this.changes.size(), this.bytes, change)) {
				add(change);
			}
			else {
				logOverflow = !this.overflown;
				this.overflown = true;
				dropped = this.changes.size();
				droppedBytes = this.bytes;
				clear();
				this.counters.dropped.add(dropped);
				add(afterGap(change));
			}
			idle = this.state == State.IDLE;
			this.state = idle ? State.SCHEDULED : this.state;
		}
		if (logOverflow) {
			logger.warn(
					"Listener '{}' is too slow for key {}: dropped {} waiting changes ({} bytes) in favor of the "
							+ "latest change. Logged again only after the listener has caught up",
					this.listenerId, change.key(), dropped, droppedBytes);
		}
		if (idle) {
			schedule();
		}
	}

	private void add(KeyChange<Bytes> change) {
		this.changes.add(change);
		this.bytes += QueueLimit.sizeOf(change);
		this.counters.behind.increment();
	}

	private void clear() {
		this.counters.behind.add(-this.changes.size());
		this.changes.clear();
		this.bytes = 0;
	}

	/**
	 * Returns the change, marked as resynchronized because earlier changes may be
	 * missing.
	 */
	static KeyChange<Bytes> afterGap(KeyChange<Bytes> change) {
		return new KeyChange<>(change.key(), change.operation(), change.value(), change.version(), true,
				change.traceContext());
	}

	private void schedule() {
		this.executor.execute(this::run, this::isScheduled);
	}

	private synchronized boolean isScheduled() {
		return this.state == State.SCHEDULED && !this.closed;
	}

	private void run() {
		if (!begin()) {
			return;
		}
		int delivered = 0;
		KeyChange<Bytes> change = next(delivered);
		while (change != null) {
			deliver(change);
			change = next(++delivered);
		}
	}

	/** Begins a task. Returns {@code false} if an earlier task has begun in its place. */
	private synchronized boolean begin() {
		boolean scheduled = this.state == State.SCHEDULED;
		if (scheduled) {
			this.state = State.RUNNING;
		}
		return scheduled;
	}

	/**
	 * Removes the next change. Returns {@code null} and ends the task if the queue is
	 * empty, or if the task has delivered a batch, in which case another task follows.
	 */
	private @Nullable KeyChange<Bytes> next(int delivered) {
		boolean more;
		boolean last;
		synchronized (this) {
			more = !this.changes.isEmpty();
			if (more && delivered < BATCH) {
				KeyChange<Bytes> change = this.changes.remove();
				this.bytes -= QueueLimit.sizeOf(change);
				this.counters.behind.decrement();
				return change;
			}
			this.state = more ? State.SCHEDULED : State.IDLE;
			this.overflown &= more;
			last = this.closed;
		}
		if (more) {
			schedule();
		}
		else if (last) {
			this.ended.complete(null);
		}
		return null;
	}

	/**
	 * Delivers a change. A failure, for example in a tracer, affects only this change.
	 */
	private void deliver(KeyChange<Bytes> change) {
		this.counters.delivered.increment();
		if (change.resynchronized()) {
			this.counters.resynchronized.increment();
		}
		try {
			this.listener.accept(change);
		}
		catch (Throwable ex) {
			logger.error("Failed to deliver a change of key {} to listener '{}'; continuing with the next change",
					change.key(), this.listenerId, ex);
		}
	}

	/**
	 * Drops the waiting changes and does not accept new changes.
	 * @return a future that completes when a running delivery has ended
	 */
	CompletableFuture<Void> close() {
		boolean idle;
		synchronized (this) {
			this.closed = true;
			clear();
			// A task that has not begun will not deliver anything, even if it runs later.
			idle = this.state != State.RUNNING;
		}
		if (idle) {
			this.ended.complete(null);
		}
		return this.ended.copy();
	}

}
