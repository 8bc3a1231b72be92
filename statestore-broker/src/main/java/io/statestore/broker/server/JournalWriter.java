package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that writes changes to a {@link ChangeJournal}. Changes that arrive during a
 * write are written together afterwards. If the journal fails or is slow, changes wait.
 */
final class JournalWriter implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(JournalWriter.class);

	private static final long RETRY_MILLIS = 1_000;

	private static final long CLOSE_MILLIS = 10_000;

	private final ChangeJournal journal;

	private final ChangeQueue queue;

	private final Consumer<List<Change>> onWritten;

	private final Thread thread;

	/** Whether the thread was started. Guarded by this object. */
	private boolean started;

	/** Used by the thread. */
	private boolean failing;

	/**
	 * Creates a writer, whose thread starts with the first change.
	 * @param maxHeld maximum estimated memory of waiting changes
	 * @param onWritten called on the thread after each write, with its changes
	 */
	JournalWriter(ChangeJournal journal, long maxHeld, Consumer<List<Change>> onWritten) {
		this.journal = journal;
		this.queue = new ChangeQueue(maxHeld);
		this.onWritten = onWritten;
		this.thread = newThread(this::run, "statestore-journal");
	}

	private static Thread newThread(Runnable task, String name) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Writes and forces a change before all others.
	 * @param limit maximum time to wait
	 * @throws IllegalStateException if the journal does not respond in time
	 * @throws RuntimeException thrown by the journal
	 */
	void writeFirst(Change change, Duration limit) {
		FutureTask<Boolean> write = new FutureTask<>(() -> {
			this.journal.write(List.of(change));
			this.journal.force();
		}, true);
		newThread(write, "statestore-journal-start").start();
		try {
			write.get(limit.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) ex.getCause();
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException("The store cannot start, because its journal has not responded for "
					+ limit.toSeconds() + " s. Check the disk of the journal, then start the store again", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while starting the journal", ex);
		}
	}

	/**
	 * Adds a change.
	 * @return whether there was room
	 */
	boolean add(Change change) {
		boolean added = this.queue.add(change);
		start();
		return added;
	}

	private synchronized void start() {
		if (!this.started && !this.queue.hasEnded()) {
			this.started = true;
			this.thread.start();
		}
	}

	/** Returns whether at most half of the memory is in use. */
	boolean hasRoom() {
		return this.queue.hasRoom();
	}

	/** Waits until a change can be added, or nothing has been written for a while. */
	void awaitRoom(Duration timeout) {
		this.queue.awaitRoom(timeout);
	}

	/** Returns the number of added changes. */
	long added() {
		return this.queue.added();
	}

	/**
	 * Requests that the first changes are forced to the disk, and those of earlier
	 * writers. The first call also starts the thread.
	 * @param count the number of changes
	 * @return whether that is done
	 */
	boolean force(long count) {
		boolean forced = this.queue.force(count);
		start();
		return forced;
	}

	/**
	 * Waits until all changes are written, or one more attempt has failed. After ten
	 * seconds or an interruption, drops the changes that are not being written.
	 */
	@Override
	public void close() {
		this.queue.end(false);
		join();
		if (this.thread.isAlive()) {
			logger.error("The journal does not respond. Closed with {} changes that may be missing in it",
					this.queue.unwritten());
			this.queue.end(true);
		}
	}

	/** Drops all changes, and waits until none is being written, at most ten seconds. */
	void discard() {
		this.queue.end(true);
		join();
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
		for (List<Change> changes = this.queue.next(); changes != null; changes = this.queue.next()) {
			if (!(changes.isEmpty() ? force() : write(changes))) {
				return;
			}
		}
	}

	private boolean force() {
		if (!attempt(this.journal::force)) {
			return false;
		}
		this.queue.forced();
		return true;
	}

	private boolean write(List<Change> changes) {
		if (!attempt(() -> this.journal.write(changes))) {
			return false;
		}
		this.queue.written(changes);
		this.onWritten.accept(changes);
		return true;
	}

	/** Repeats an action until it succeeds, or has failed after the end. */
	private boolean attempt(Runnable action) {
		while (!this.queue.isDropped()) {
			// Read before the attempt: one more attempt follows after the end.
			boolean last = this.queue.hasEnded();
			try {
				action.run();
				if (this.failing) {
					this.failing = false;
					logger.info("The journal can be written again");
				}
				return true;
			}
			catch (RuntimeException | Error ex) {
				if (last) {
					reportEnd(ex);
					return false;
				}
				report(ex);
			}
			this.queue.pause(RETRY_MILLIS);
		}
		return false;
	}

	private void reportEnd(Throwable failure) {
		if (!this.queue.isDropped()) {
			logger.error("Closed with {} changes that are not in the journal", this.queue.unwritten(), failure);
		}
	}

	private void report(Throwable failure) {
		if (!this.failing && !this.queue.isDropped()) {
			this.failing = true;
			logger.error("The journal cannot be written. The store serves, and changes wait in memory. Free "
					+ "space on the disk of the journal; writing is retried every second", failure);
		}
	}

}
