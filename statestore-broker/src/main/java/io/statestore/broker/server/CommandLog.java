package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

import io.statestore.broker.engine.StateMachine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Orders and applies a store's entries: an entry joins a batch, a sink writes the batch,
 * and the entry is applied once the batch is committed. None of an entry's effects are
 * visible before that. Without a sink, each entry is applied immediately.
 * <p>
 * Used within the serial executor, except where noted.
 */
final class CommandLog implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(CommandLog.class);

	/** Estimated heap usage of an entry or action, not including bytes from clients. */
	static final int OVERHEAD = 400;

	private final StateMachine machine;

	private final @Nullable LogSink sink;

	private final long maxHeld;

	private final Runnable batchFinished;

	/** Batches that are neither applied nor rejected, in order. */
	private final Deque<Batch> unfinished = new ArrayDeque<>();

	/**
	 * Those {@link #unfinished} batches that the sink has not taken; the last of them is
	 * open. Guarded by its own monitor.
	 */
	private final Deque<Batch> waiting = new ArrayDeque<>();

	private volatile boolean hasWaiting;

	/** Position of the last entry. */
	private volatile long appended;

	/** Position of the last entry that was applied or rejected. */
	private volatile long done;

	/** Estimated memory of everything that is waiting, in bytes. */
	private long held;

	/**
	 * Whether {@link #finish()} is running. Actions may append entries, which calls it
	 * again.
	 */
	private boolean finishing;

	private boolean ended;

	/**
	 * Creates a log.
	 * @param machine applies the entries
	 * @param sink stores the entries, {@code null} to store nothing
	 * @param maxHeld estimated memory at which the log is full, in bytes
	 * @param batchFinished called after the entries of a batch
	 */
	CommandLog(StateMachine machine, @Nullable LogSink sink, long maxHeld, Runnable batchFinished) {
		this.machine = machine;
		this.sink = sink;
		this.maxHeld = maxHeld;
		this.batchFinished = batchFinished;
	}

	/** Starts writing entries. Called once, before the first entry. */
	void start() {
		if (this.sink != null) {
			this.sink.start(this);
		}
	}

	/**
	 * Appends an entry. After {@link #end()}, its outcome is not reported.
	 * @param proposal the entry, which may already be applied when this method returns
	 * @return the entry's position, not less than earlier positions. It is unrelated to
	 * indexes in files
	 */
	long append(Proposal proposal) {
		if (this.sink == null) {
			proposal.apply(this.machine);
			return 0;
		}
		if (this.ended) {
			return this.appended;
		}
		if (this.sink.isReplicated()) {
			// A batch must not be larger than the maximum size of a consensus entry.
			proposal.prepare(this.sink.maxEntryBytes());
		}
		hold(proposal.heldBytes());
		long position = this.appended + 1;
		this.appended = position;
		add(proposal, position, this.sink.maxBatchBytes());
		this.sink.offered();
		return position;
	}

	private void add(Proposal proposal, long position, int maxBatchBytes) {
		synchronized (this.waiting) {
			Batch open = this.waiting.peekLast();
			if (open == null || !open.accepts(proposal, maxBatchBytes)) {
				open = new Batch();
				this.waiting.add(open);
				this.hasWaiting = true;
				this.unfinished.add(open);
			}
			open.add(proposal, position);
		}
	}

	/** Returns the next batch, to which entries can still be added. Thread-safe. */
	@Nullable Batch peek() {
		synchronized (this.waiting) {
			return this.waiting.peek();
		}
	}

	/**
	 * Returns whether the next batch is full, so that no more entries are added to it.
	 * Thread-safe.
	 */
	boolean isNextFull() {
		synchronized (this.waiting) {
			return this.waiting.size() > 1;
		}
	}

	/** Takes the next batch. Returns {@code null} if there is none. Thread-safe. */
	@Nullable Batch take() {
		synchronized (this.waiting) {
			Batch batch = this.waiting.poll();
			this.hasWaiting = !this.waiting.isEmpty();
			return batch;
		}
	}

	/** Returns whether the sink can take a batch. Thread-safe. */
	boolean hasWaiting() {
		return this.hasWaiting;
	}

	/** Adds an empty batch that the sink has proposed itself. */
	void addEmpty(Batch empty) {
		this.unfinished.add(empty);
	}

	/** Applies or rejects batches in order, up to the first undecided batch. */
	void finish() {
		if (this.finishing) {
			return;
		}
		this.finishing = true;
		boolean finished = false;
		try {
			for (Batch first = this.unfinished.peek(); first != null
					&& first.isDecided(); first = this.unfinished.peek()) {
				this.unfinished.remove();
				finish(first);
				finished = true;
			}
		}
		finally {
			this.finishing = false;
		}
		if (finished) {
			this.batchFinished.run();
		}
	}

	private void finish(Batch batch) {
		for (Proposal proposal : batch.proposals()) {
			this.done++;
			try {
				proposal.end(batch.isCommitted(), this.machine);
			}
			catch (RuntimeException ex) {
				logger.error("Failed to complete a request after its log entry was processed; its client may not "
						+ "receive a reply. This is a bug: report it with this stack trace", ex);
			}
			runActions(batch);
		}
		this.held -= batch.heldBytes();
	}

	private void runActions(Batch batch) {
		for (Runnable action = batch.nextAction(this.done); action != null; action = batch.nextAction(this.done)) {
			try {
				action.run();
			}
			catch (RuntimeException ex) {
				logger.error("Failed to run a request; its client may not receive a reply. This is a bug: report it "
						+ "with this stack trace", ex);
			}
		}
	}

	/**
	 * Returns how far the log has been processed.
	 * @return the position up to which all entries have been applied or rejected
	 */
	long done() {
		return this.done;
	}

	/**
	 * Returns whether any entry is neither applied nor rejected.
	 * @return {@code true} if entries are pending
	 */
	boolean isBusy() {
		return this.done != this.appended;
	}

	/**
	 * Returns the number of entries that are neither applied nor rejected. Thread-safe.
	 */
	long pending() {
		return Math.max(0, this.appended - this.done);
	}

	/**
	 * Runs an action once an entry has been applied or rejected; immediately if it
	 * already has. Actions for the same or increasing positions run in call order.
	 * @param position the position of the entry
	 * @param action the action to run
	 * @param bytes the number of bytes from clients that the action holds
	 */
	void after(long position, Runnable action, int bytes) {
		if (position <= this.done) {
			action.run();
			return;
		}
		for (Batch batch : this.unfinished) {
			if (batch.last() >= position) {
				batch.add(position, action, bytes);
				hold(bytes);
				return;
			}
		}
		throw new IllegalStateException("No entry has the position " + position);
	}

	/** Counts the memory of a waiting entry, action, or reply. */
	void hold(int bytes) {
		this.held += bytes + OVERHEAD;
	}

	/** Reverses {@link #hold}. */
	void release(int bytes) {
		this.held -= bytes + OVERHEAD;
	}

	/**
	 * Runs an action once it is certain that no other node was the leader before this
	 * call. The caller has already read the state, and the action sends the result to a
	 * client. Runs immediately if the log is not replicated, and never if this node has
	 * lost its leadership. Actions run in call order, except for those that
	 * {@link #confirmed} runs.
	 * @param connection the client's connection
	 * @param action the action to run
	 * @param bytes the number of bytes that the action holds
	 */
	void confirm(ClientConnection connection, Runnable action, int bytes) {
		if (this.sink != null) {
			this.sink.confirm(connection, action, bytes);
		}
		else {
			action.run();
		}
	}

	/**
	 * Runs a connection's actions that are waiting for {@link #confirm}. Must be called
	 * when an entry of the same connection has been applied, before its reply. The
	 * requests for these actions arrived before the entry was proposed, so its commit
	 * confirms that no other node was the leader when they arrived.
	 * @param connection the connection whose entry was applied
	 */
	void confirmed(ClientConnection connection) {
		if (this.sink != null) {
			this.sink.confirmed(connection);
		}
	}

	/**
	 * Returns whether other nodes also have the log, so that {@link #confirm} takes time.
	 * @return whether the log is replicated
	 */
	boolean isReplicated() {
		return this.sink != null && this.sink.isReplicated();
	}

	/**
	 * Returns whether too much memory is held to accept more requests.
	 * @return whether entries and actions exceed the limit
	 */
	boolean isFull() {
		return this.held > this.maxHeld;
	}

	/**
	 * Returns whether too much memory is held to let even a refused request wait for its
	 * turn.
	 * @return whether entries and actions exceed twice the limit
	 */
	boolean isExhausted() {
		return this.held > 2 * this.maxHeld;
	}

	/**
	 * Returns whether to append more entries. While the disk is full, a few entries at a
	 * time are admitted to detect new space.
	 * @return whether an entry is likely to be accepted
	 */
	boolean isWritable() {
		return this.sink == null || this.sink.isWritable();
	}

	/**
	 * Returns whether entries survive a crash. If so, log time survives only as part of
	 * an entry.
	 * @return whether the log is durable
	 */
	boolean isDurable() {
		return this.sink != null;
	}

	/**
	 * Ends this log when the server is closed. Waiting entries are still written. If the
	 * log is replicated, however, they are dropped without an outcome, because a later
	 * leader may execute them.
	 */
	void end() {
		this.ended = true;
		if (isReplicated()) {
			synchronized (this.waiting) {
				this.waiting.clear();
				this.hasWaiting = false;
			}
			this.unfinished.clear();
			this.done = this.appended;
			this.held = 0;
		}
		if (this.sink != null) {
			this.sink.end();
		}
	}

	/**
	 * Returns statistics of a durable log. Thread-safe. Never blocks.
	 * @return a snapshot, empty unless the log has its own directory
	 */
	Optional<DurabilityStatistics> durability() {
		return (this.sink != null) ? this.sink.durability() : Optional.empty();
	}

	/**
	 * After {@link #end()}, waits until all entries are applied, and releases all
	 * resources. Must be called outside the serial executor.
	 */
	@Override
	public void close() {
		if (this.sink != null) {
			this.sink.close();
		}
	}

}
