package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.Deque;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches that are neither applied nor rejected, in order, and the actions that wait for
 * them. Used within the serial executor, except for {@link #pending()}.
 */
final class UnfinishedBatches {

	private static final Logger logger = LoggerFactory.getLogger(UnfinishedBatches.class);

	private final EntryApplier applier;

	private final long maxHeld;

	private final Deque<Batch> batches = new ArrayDeque<>();

	/** Position of the last entry. */
	private volatile long appended;

	/** Position of the last entry that was applied or rejected. */
	private volatile long done;

	/** Estimated memory of everything that waits. */
	private long held;

	/**
	 * Creates an empty object.
	 * @param applier applies the entries
	 * @param maxHeld estimated memory from which on the log is full, in bytes
	 */
	UnfinishedBatches(EntryApplier applier, long maxHeld) {
		this.applier = applier;
		this.maxHeld = maxHeld;
	}

	/**
	 * Returns the position of the next entry, which is to be added to a batch.
	 * @param bytes the number of bytes that the entry holds
	 */
	long append(int bytes) {
		long position = this.appended + 1;
		this.appended = position;
		hold(bytes);
		return position;
	}

	/** Adds a batch behind all others. */
	void add(Batch batch) {
		this.batches.add(batch);
	}

	/** See {@link CommandLog#done()}. */
	long done() {
		return this.done;
	}

	/** See {@link CommandLog#isBusy()}. */
	boolean isBusy() {
		return this.done != this.appended;
	}

	/** Returns the number of entries that are neither applied nor rejected. */
	long pending() {
		return Math.max(0, this.appended - this.done);
	}

	/** See {@link CommandLog#after}. */
	void after(long position, Runnable action, int bytes) {
		if (position <= this.done) {
			action.run();
			return;
		}
		for (Batch batch : this.batches) {
			if (batch.last() >= position) {
				batch.add(position, action, bytes);
				hold(bytes);
				return;
			}
		}
		throw new IllegalStateException("No entry has the position " + position);
	}

	/** Counts something that waits, besides the actions and entries. */
	void hold(int bytes) {
		this.held += bytes + Batch.OVERHEAD;
	}

	/** Ends what {@link #hold} began. */
	void release(int bytes) {
		this.held -= bytes + Batch.OVERHEAD;
	}

	/** See {@link CommandLog#isFull()}. */
	boolean isFull() {
		return this.held > this.maxHeld;
	}

	/** See {@link CommandLog#isExhausted()}. */
	boolean isExhausted() {
		return this.held > 2 * this.maxHeld;
	}

	/** Applies or rejects the entries of the first batch, and runs the actions. */
	void finishFirst() {
		Batch batch = this.batches.remove();
		for (Proposal proposal : batch.proposals()) {
			this.done++;
			try {
				finish(proposal, batch);
			}
			catch (RuntimeException ex) {
				logger.error("A reply failed; continuing with the next one", ex);
			}
			runActions(batch);
		}
		this.held -= batch.heldBytes();
	}

	private void finish(Proposal proposal, Batch batch) {
		Runnable omitted = batch.omitted(proposal);
		if (omitted != null) {
			omitted.run();
		}
		else if (batch.isCommitted()) {
			this.applier.apply(proposal);
		}
		else {
			proposal.rejected();
		}
	}

	private void runActions(Batch batch) {
		for (Runnable action = batch.nextAction(this.done); action != null; action = batch.nextAction(this.done)) {
			try {
				action.run();
			}
			catch (RuntimeException ex) {
				logger.error("A request failed; continuing with the next one", ex);
			}
		}
	}

	/** Drops all batches, whose entries and actions are never called. */
	void abandon() {
		this.batches.clear();
		this.done = this.appended;
		this.held = 0;
	}

}
