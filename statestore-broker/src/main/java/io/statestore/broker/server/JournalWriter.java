package io.statestore.broker.server;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that writes changes to a {@link ChangeJournal}. Changes that arrive during a
 * write are written together afterwards. If the journal fails or is slow, changes wait up
 * to a limit of memory.
 */
final class JournalWriter implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(JournalWriter.class);

	private static final int MAX_CHANGES = 8_192;

	private static final long MAX_BYTES = 8L << 20;

	/** Estimated heap of a change in addition to its bytes. */
	private static final int OVERHEAD = 200;

	private static final long RETRY_MILLIS = 1_000;

	private static final long CLOSE_MILLIS = 10_000;

	private final ChangeJournal journal;

	private final long maxHeld;

	private final Runnable onRoom;

	private final Thread thread;

	/** Changes that wait. Guards itself and the fields below. */
	private final Queue<Change> waiting = new ArrayDeque<>();

	private long held;

	private long added;

	private long written;

	/** Number of forced changes, -1 before the first force. */
	private long forced = -1;

	/** Number of changes to force, -1 before the first request. */
	private long requested = -1;

	private boolean started;

	private boolean closed;

	/** Whether nothing may be written from now on. */
	private boolean dropped;

	private boolean failing;

	/**
	 * Creates a writer, whose thread starts with the first change.
	 * @param maxHeld maximum estimated memory of waiting changes
	 * @param onRoom called on the thread after each write
	 */
	JournalWriter(ChangeJournal journal, long maxHeld, Runnable onRoom) {
		this.journal = journal;
		this.maxHeld = maxHeld;
		this.onRoom = onRoom;
		this.thread = new Thread(this::run, "statestore-journal");
		this.thread.setDaemon(true);
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
			start();
			if (this.waiting.isEmpty()) {
				this.waiting.notifyAll();
			}
			this.waiting.add(change);
			this.added++;
			this.held += cost(change);
			return true;
		}
	}

	private void start() {
		if (!this.started && !this.closed) {
			this.started = true;
			this.thread.start();
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

	/**
	 * Requests that the first changes are forced to the disk, and those of earlier
	 * writers. The first call also starts the thread.
	 * @param count the number of changes
	 * @return whether that is done
	 */
	boolean force(long count) {
		synchronized (this.waiting) {
			if (count > this.requested) {
				this.requested = count;
				start();
				this.waiting.notifyAll();
			}
			return count <= this.forced;
		}
	}

	/**
	 * Waits until all changes are written, or one more attempt has failed. After ten
	 * seconds or an interruption, drops the changes that are not being written.
	 */
	@Override
	public void close() {
		end(false);
		join();
		if (this.thread.isAlive()) {
			logger.error("The journal does not respond. Closed with {} changes that may be missing in it", unwritten());
			end(true);
		}
	}

	/** Drops all changes, and waits until none is being written, at most ten seconds. */
	void discard() {
		end(true);
		join();
	}

	private void end(boolean drop) {
		synchronized (this.waiting) {
			this.closed = true;
			this.dropped = drop;
			if (drop) {
				this.waiting.clear();
				this.requested = -1;
			}
			this.waiting.notifyAll();
		}
	}

	private void join() {
		try {
			this.thread.join(CLOSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		while (awaitWork()) {
			List<Change> changes = take();
			if (changes.isEmpty()) {
				if (!attempt(this.journal::force)) {
					return;
				}
				forced();
			}
			else {
				if (!attempt(() -> this.journal.write(changes))) {
					return;
				}
				release(changes);
				this.onRoom.run();
			}
		}
	}

	/** Returns whether there is anything to write or to force. */
	private boolean awaitWork() {
		synchronized (this.waiting) {
			while (this.waiting.isEmpty() && !isForceDue() && !this.closed) {
				await(0);
			}
			return !this.waiting.isEmpty() || isForceDue();
		}
	}

	private boolean isForceDue() {
		return this.requested > this.forced && this.written >= this.requested;
	}

	/** Returns the next changes, none if those written before are to be forced. */
	private List<Change> take() {
		synchronized (this.waiting) {
			List<Change> changes = new ArrayList<>();
			long bytes = 0;
			while (!isForceDue() && !this.waiting.isEmpty() && changes.size() < MAX_CHANGES && bytes < MAX_BYTES) {
				Change change = this.waiting.remove();
				changes.add(change);
				bytes += change.key().length() + change.value().length();
			}
			return changes;
		}
	}

	private void release(List<Change> changes) {
		synchronized (this.waiting) {
			for (Change change : changes) {
				this.held -= cost(change);
			}
			this.written += changes.size();
			this.waiting.notifyAll();
		}
	}

	private void forced() {
		synchronized (this.waiting) {
			this.forced = this.written;
		}
	}

	/** Repeats an action until it succeeds, or has failed after the end. */
	private boolean attempt(Runnable action) {
		while (true) {
			// Read before the attempt: one more attempt follows after the end.
			boolean last = isClosed();
			try {
				action.run();
				if (this.failing) {
					this.failing = false;
					logger.info("The journal can be written again");
				}
				return true;
			}
			catch (RuntimeException | Error ex) {
				if (isDropped()) {
					return false;
				}
				if (last) {
					logger.error("Closed with {} changes that are not in the journal", unwritten(), ex);
					return false;
				}
				if (!this.failing) {
					this.failing = true;
					logger.error("The journal cannot be written. The store serves, and changes wait in memory. Free "
							+ "space on the disk of the journal; writing is retried every second", ex);
				}
			}
			synchronized (this.waiting) {
				if (!this.closed) {
					await(RETRY_MILLIS);
				}
				if (this.dropped) {
					return false;
				}
			}
		}
	}

	private long unwritten() {
		synchronized (this.waiting) {
			return this.added - this.written;
		}
	}

	private boolean isClosed() {
		synchronized (this.waiting) {
			return this.closed;
		}
	}

	private boolean isDropped() {
		synchronized (this.waiting) {
			return this.dropped;
		}
	}

	private void await(long millis) {
		try {
			this.waiting.wait(millis);
		}
		catch (InterruptedException ex) {
			// Only closing ends the wait.
		}
	}

}
