package io.statestore.broker.server;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

/**
 * Changes that wait for the journal, up to a limit of memory, and requests to force them
 * to its disk. One thread takes them. Thread-safe.
 */
final class ChangeQueue {

	private static final int MAX_CHANGES = 8_192;

	private static final long MAX_BYTES = 8L << 20;

	/** Estimated heap of a change in addition to its bytes. */
	private static final int OVERHEAD = 200;

	private final long maxHeld;

	/** Guards itself and the fields below. */
	private final Queue<Change> waiting = new ArrayDeque<>();

	/** Estimated heap of the changes that are not written. */
	private long held;

	private long added;

	private long written;

	/** Number of forced changes, -1 before the first force. */
	private long forced = -1;

	/** Number of changes to force, -1 before the first request. */
	private long requested = -1;

	private boolean ended;

	private boolean dropped;

	/**
	 * Creates an empty queue.
	 * @param maxHeld maximum estimated memory of waiting changes, in bytes
	 */
	ChangeQueue(long maxHeld) {
		this.maxHeld = maxHeld;
	}

	/**
	 * Adds a change.
	 * @return whether there was room
	 */
	boolean add(Change change) {
		synchronized (this.waiting) {
			if (this.held > this.maxHeld) {
				return false;
			}
			if (this.waiting.isEmpty()) {
				this.waiting.notifyAll();
			}
			this.waiting.add(change);
			this.added++;
			this.held += cost(change);
			return true;
		}
	}

	private static long cost(Change change) {
		return (long) change.key().length() + change.value().length() + OVERHEAD;
	}

	/** Returns whether at most half of the memory is in use. */
	boolean hasRoom() {
		synchronized (this.waiting) {
			return this.held <= this.maxHeld / 2;
		}
	}

	/** Waits until a change can be added, or nothing has been written for a while. */
	void awaitRoom(Duration timeout) {
		synchronized (this.waiting) {
			long before = -1;
			while (this.held > this.maxHeld && this.written != before) {
				before = this.written;
				long end = System.nanoTime() + timeout.toNanos();
				for (long left = timeout.toNanos(); left > 0
						&& this.written == before; left = end - System.nanoTime()) {
					await(Math.max(1, left / 1_000_000));
				}
			}
		}
	}

	/** Returns the number of added changes. */
	long added() {
		synchronized (this.waiting) {
			return this.added;
		}
	}

	/** Returns the number of added changes that are not written. */
	long unwritten() {
		synchronized (this.waiting) {
			return this.added - this.written;
		}
	}

	/**
	 * Requests a force of the first changes, and of those written before this queue
	 * existed.
	 * @param count the number of changes
	 * @return whether they are already forced
	 */
	boolean force(long count) {
		synchronized (this.waiting) {
			if (count > this.requested) {
				this.requested = count;
				this.waiting.notifyAll();
			}
			return count <= this.forced;
		}
	}

	/**
	 * Waits for work.
	 * @return the next changes to write; none if the changes written so far are to be
	 * forced; {@code null} if the queue has ended and is empty
	 */
	@Nullable List<Change> next() {
		synchronized (this.waiting) {
			while (this.waiting.isEmpty() && !isForceDue() && !this.ended) {
				await(0);
			}
			if (isForceDue()) {
				return List.of();
			}
			return this.waiting.isEmpty() ? null : take();
		}
	}

	private boolean isForceDue() {
		return this.requested > this.forced && this.written >= this.requested;
	}

	private List<Change> take() {
		List<Change> changes = new ArrayList<>();
		long bytes = 0;
		while (!this.waiting.isEmpty() && changes.size() < MAX_CHANGES && bytes < MAX_BYTES) {
			Change change = this.waiting.remove();
			changes.add(change);
			bytes += change.key().length() + change.value().length();
		}
		return changes;
	}

	/** Receives changes that are written. */
	void written(List<Change> changes) {
		synchronized (this.waiting) {
			for (Change change : changes) {
				this.held -= cost(change);
			}
			this.written += changes.size();
			this.waiting.notifyAll();
		}
	}

	/** Notes that all written changes are forced. */
	void forced() {
		synchronized (this.waiting) {
			this.forced = this.written;
		}
	}

	/**
	 * Ends the queue. The thread that takes changes no longer waits for more.
	 * @param drop whether to drop the waiting changes
	 */
	void end(boolean drop) {
		synchronized (this.waiting) {
			this.ended = true;
			this.dropped |= drop;
			if (drop) {
				this.waiting.clear();
				this.requested = -1;
			}
			this.waiting.notifyAll();
		}
	}

	boolean hasEnded() {
		synchronized (this.waiting) {
			return this.ended;
		}
	}

	/** Returns whether nothing may be written from now on. */
	boolean isDropped() {
		synchronized (this.waiting) {
			return this.dropped;
		}
	}

	/** Waits, but no longer after the end. */
	void pause(long millis) {
		synchronized (this.waiting) {
			if (!this.ended) {
				await(millis);
			}
		}
	}

	private void await(long millis) {
		try {
			this.waiting.wait(millis);
		}
		catch (InterruptedException ex) {
			// Only the end of the queue ends the wait.
		}
	}

}
