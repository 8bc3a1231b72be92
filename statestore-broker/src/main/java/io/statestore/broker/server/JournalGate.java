package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds outbound messages until all preceding changes are in the journal. A dedicated
 * thread writes. Changes that arrive during a write are written together afterwards.
 * <p>
 * If the journal cannot be written, the gate is stalled: it keeps its messages and
 * retries until a write succeeds or the server is closed. If the journal is too slow and
 * too many bytes are held, the gate is full.
 */
final class JournalGate implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(JournalGate.class);

	private static final int MAX_CHANGES = 8_192;

	private static final long MAX_BYTES = 8L << 20;

	/** Estimated heap of a waiting item in addition to the bytes of clients. */
	private static final int OVERHEAD = 200;

	private static final long RETRY_MILLIS = 1_000;

	private static final long CLOSE_MILLIS = 10_000;

	private final ChangeJournal journal;

	private final Thread thread;

	/** Guards the fields below. */
	private final Object lock = new Object();

	private final Deque<Batch> batches = new ArrayDeque<>();

	/** Whether messages of a written batch have not been sent yet. */
	private boolean busy;

	private boolean closed;

	private volatile boolean stalled;

	private final long maxHeld;

	/** Number of bytes held. */
	private volatile long held;

	JournalGate(ChangeJournal journal, long maxHeld) {
		this.journal = journal;
		this.maxHeld = maxHeld;
		this.thread = new Thread(this::run, "statestore-journal");
		this.thread.setDaemon(true);
		this.thread.start();
	}

	/** Adds a change. Later messages wait until it is written. */
	void changed(Change change) {
		synchronized (this.lock) {
			Batch batch = this.batches.peekLast();
			if (batch == null || batch.changes.size() == MAX_CHANGES || batch.changeBytes >= MAX_BYTES) {
				batch = new Batch();
				this.batches.add(batch);
			}
			batch.changes.add(change);
			int bytes = change.key().length() + change.value().length();
			batch.changeBytes += bytes;
			hold(batch, bytes);
		}
	}

	/**
	 * Runs an action once all changes so far are written, in the order of the calls.
	 * @param action the action, such as sending a message
	 * @param bytes the estimated memory of the action
	 */
	void release(Runnable action, int bytes) {
		synchronized (this.lock) {
			Batch batch = this.batches.peekLast();
			if (batch == null && this.busy) {
				batch = new Batch();
				this.batches.add(batch);
			}
			if (batch != null) {
				batch.actions.add(action);
				hold(batch, bytes);
				return;
			}
		}
		action.run();
	}

	private void hold(Batch batch, int bytes) {
		batch.bytes += bytes + OVERHEAD;
		this.held += bytes + OVERHEAD;
	}

	/**
	 * Returns whether too much is held to accept further requests. Safe for use by any
	 * thread.
	 */
	boolean isFull() {
		return this.held > this.maxHeld;
	}

	/** Starts to write the collected changes, after one request or several. */
	void commit() {
		synchronized (this.lock) {
			if (!this.busy && !this.batches.isEmpty()) {
				this.lock.notifyAll();
			}
		}
	}

	/** Returns whether the journal cannot be written. Safe for use by any thread. */
	boolean isStalled() {
		return this.stalled;
	}

	/** Handles the end of the server, after which no message arrives. */
	void end() {
		synchronized (this.lock) {
			this.closed = true;
			this.lock.notifyAll();
		}
	}

	/**
	 * Waits after {@link #end()} until all changes are written, or one more attempt has
	 * failed.
	 */
	@Override
	public void close() {
		try {
			this.thread.join(CLOSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		for (Batch batch = take(); batch != null; batch = take()) {
			if (!batch.changes.isEmpty() && !write(batch.changes)) {
				return;
			}
			batch.actions.forEach(JournalGate::act);
			synchronized (this.lock) {
				this.held -= batch.bytes;
			}
		}
	}

	private @Nullable Batch take() {
		synchronized (this.lock) {
			this.busy = false;
			while (this.batches.isEmpty() && !this.closed) {
				await(0);
			}
			this.busy = !this.batches.isEmpty();
			return this.batches.poll();
		}
	}

	private boolean write(List<Change> changes) {
		while (true) {
			// Read before the attempt: one more attempt follows after the end.
			boolean last = isClosed();
			try {
				this.journal.write(changes);
				if (this.stalled) {
					this.stalled = false;
					logger.info("The journal can be written again. The store serves requests");
				}
				return true;
			}
			catch (RuntimeException | Error ex) {
				if (last) {
					logger.error("Closed with {} or more unwritten changes. None of them was acknowledged",
							changes.size(), ex);
					return false;
				}
				if (!this.stalled) {
					this.stalled = true;
					logger.error("The journal cannot be written. All requests are refused with \"the quota has been "
							+ "exceeded\". Free space on its disk; writing is retried every second", ex);
				}
			}
			synchronized (this.lock) {
				if (!this.closed) {
					await(RETRY_MILLIS);
				}
			}
		}
	}

	private boolean isClosed() {
		synchronized (this.lock) {
			return this.closed;
		}
	}

	private void await(long millis) {
		try {
			this.lock.wait(millis);
		}
		catch (InterruptedException ex) {
			// Only closing ends this thread.
		}
	}

	private static void act(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("Failed to send a message after its journal write; continuing", ex);
		}
	}

	/** Changes, and the actions that wait for them. */
	private static final class Batch {

		private final List<Change> changes = new ArrayList<>();

		private final List<Runnable> actions = new ArrayList<>();

		private long changeBytes;

		private long bytes;

	}

}
