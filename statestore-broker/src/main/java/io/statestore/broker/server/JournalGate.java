package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what would leave the server back until the changes before it are in the journal.
 * A thread of its own writes: what comes while it does is written together next.
 * <p>
 * While the journal cannot be written, the gate is stalled: what it holds is held, and
 * writing is tried again until it works or the server is closed.
 */
final class JournalGate implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(JournalGate.class);

	private static final int MAX_CHANGES = 8_192;

	private static final long RETRY_MILLIS = 1_000;

	private static final long CLOSE_MILLIS = 10_000;

	private final ChangeJournal journal;

	private final Thread thread;

	/** Guards the fields below. */
	private final Object lock = new Object();

	private final Deque<Batch> batches = new ArrayDeque<>();

	/** Whether a batch was taken and not all of it has left. */
	private boolean busy;

	private boolean closed;

	private volatile boolean stalled;

	JournalGate(ChangeJournal journal) {
		this.journal = journal;
		this.thread = new Thread(this::run, "statestore-journal");
		this.thread.setDaemon(true);
		this.thread.start();
	}

	/** A change that what follows must wait for. */
	void changed(Change change) {
		synchronized (this.lock) {
			Batch batch = this.batches.peekLast();
			if (batch == null || batch.changes.size() == MAX_CHANGES) {
				batch = new Batch();
				this.batches.add(batch);
			}
			batch.changes.add(change);
		}
	}

	/** Do something when all changes so far are written, in the order of the calls. */
	void release(Runnable action) {
		synchronized (this.lock) {
			Batch batch = this.batches.peekLast();
			if (batch == null && this.busy) {
				batch = new Batch();
				this.batches.add(batch);
			}
			if (batch != null) {
				batch.actions.add(action);
				return;
			}
		}
		action.run();
	}

	/** Begin to write what there is, after a request or more. */
	void commit() {
		synchronized (this.lock) {
			if (!this.busy && !this.batches.isEmpty()) {
				this.lock.notifyAll();
			}
		}
	}

	/** Whether nothing can be written. Any thread may ask. */
	boolean isStalled() {
		return this.stalled;
	}

	/** Nothing will come any more. */
	void end() {
		synchronized (this.lock) {
			this.closed = true;
			this.lock.notifyAll();
		}
	}

	/** Wait after {@link #end()} until all is written, or was tried once more. */
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
			// Before the attempt: one more follows after the end was told.
			boolean last = isClosed();
			try {
				this.journal.write(changes);
				if (this.stalled) {
					this.stalled = false;
					logger.info("The journal can be written again: the store serves requests");
				}
				return true;
			}
			catch (RuntimeException ex) {
				if (last) {
					logger.error("Closed with {} or more changes that could not be written; none of them was confirmed",
							changes.size(), ex);
					return false;
				}
				if (!this.stalled) {
					this.stalled = true;
					logger.error(
							"The journal cannot be written. All requests are refused with \"the quota has been exceeded\""
									+ " until it can be, which is tried every second: free space on its disk",
							ex);
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
			// Only close ends this thread.
		}
	}

	private static void act(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.error("Something written to the journal could not be told; the rest goes on", ex);
		}
	}

	/** Changes, and what waits for them. */
	private static final class Batch {

		private final List<Change> changes = new ArrayList<>();

		private final List<Runnable> actions = new ArrayList<>();

	}

}
