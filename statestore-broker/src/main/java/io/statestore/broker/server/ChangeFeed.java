package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes applied changes to a {@link ChangeJournal}, on a thread of its own. Changes that
 * arrive during a write are written together afterwards. If the journal fails or is slow,
 * changes wait up to a limit of memory. Beyond it they are omitted.
 */
final class ChangeFeed implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ChangeFeed.class);

	private static final int MAX_CHANGES = 8_192;

	private static final long MAX_BYTES = 8L << 20;

	/** Estimated heap of a change in addition to its bytes. */
	private static final int OVERHEAD = 200;

	private static final long RETRY_MILLIS = 1_000;

	private static final long CLOSE_MILLIS = 10_000;

	private final ChangeJournal journal;

	private final long maxHeld;

	/** Version of the last change that an earlier server has written. */
	private final @Nullable Version last;

	private final Thread thread;

	/** Changes that wait. Guards itself and the fields below. */
	private final Queue<Change> waiting = new ArrayDeque<>();

	private long held;

	private long omitted;

	private boolean closed;

	private boolean failing;

	/**
	 * Creates a feed.
	 * @param maxHeld maximum estimated memory of waiting changes
	 */
	ChangeFeed(ChangeJournal journal, long maxHeld) {
		this.journal = journal;
		this.maxHeld = maxHeld;
		this.last = journal.last();
		this.thread = new Thread(this::run, "statestore-journal");
		this.thread.setDaemon(true);
	}

	/** Returns the version of the last change that an earlier server has written. */
	@Nullable Version last() {
		return this.last;
	}

	/** Starts to write. */
	void start() {
		this.thread.start();
	}

	/** Writes the start of an empty store, before {@link #start()}. */
	void writeStart(Version version) {
		this.journal.write(List.of(Change.start(version)));
	}

	/**
	 * Adds a change. A change that an earlier server has written is ignored, because a
	 * recovery applies it again.
	 */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable String clientId) {
		if (this.last != null && version.compareTo(this.last) <= 0) {
			return;
		}
		Change change = Change.of(key.compact(), (value != null) ? value.compact() : null, version, clientId);
		synchronized (this.waiting) {
			if (this.held > this.maxHeld) {
				if (this.omitted == 0) {
					logger.error("The journal is too slow or cannot be written. Later changes of the store are missing "
							+ "in it until it is written again");
				}
				this.omitted++;
				return;
			}
			if (this.waiting.isEmpty()) {
				this.waiting.notifyAll();
			}
			this.waiting.add(change);
			this.held += cost(change);
		}
	}

	private static long cost(Change change) {
		return (long) change.key().length() + change.value().length() + OVERHEAD;
	}

	/** Waits until all changes are written, or one more attempt has failed. */
	@Override
	public void close() {
		synchronized (this.waiting) {
			this.closed = true;
			this.waiting.notifyAll();
		}
		try {
			this.thread.join(CLOSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		for (List<Change> changes = take(); !changes.isEmpty(); changes = take()) {
			if (!write(changes)) {
				return;
			}
			release(changes);
		}
	}

	/** Returns the next changes, none at the end. */
	private List<Change> take() {
		synchronized (this.waiting) {
			while (this.waiting.isEmpty() && !this.closed) {
				await(0);
			}
			List<Change> changes = new ArrayList<>();
			long bytes = 0;
			while (!this.waiting.isEmpty() && changes.size() < MAX_CHANGES && bytes < MAX_BYTES) {
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
			if (this.omitted > 0) {
				logger.error("{} changes of the store are missing in the journal", this.omitted);
				this.omitted = 0;
			}
		}
	}

	private boolean write(List<Change> changes) {
		while (true) {
			// Read before the attempt: one more attempt follows after the end.
			boolean last = isClosed();
			try {
				this.journal.write(changes);
				if (this.failing) {
					this.failing = false;
					logger.info("The journal can be written again");
				}
				return true;
			}
			catch (RuntimeException | Error ex) {
				if (last) {
					logger.error("Closed with {} or more changes that are not in the journal", changes.size(), ex);
					return false;
				}
				if (!this.failing) {
					this.failing = true;
					logger
						.error("The journal cannot be written. Changes wait for it in memory. Free space on its disk; "
								+ "writing is retried every second", ex);
				}
			}
			synchronized (this.waiting) {
				if (!this.closed) {
					await(RETRY_MILLIS);
				}
			}
		}
	}

	private boolean isClosed() {
		synchronized (this.waiting) {
			return this.closed;
		}
	}

	private void await(long millis) {
		try {
			this.waiting.wait(millis);
		}
		catch (InterruptedException ex) {
			// Only closing ends this thread.
		}
	}

}
