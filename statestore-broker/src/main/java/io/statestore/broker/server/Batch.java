package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Entries that are written together, and actions that wait for them. Entries can be added
 * until the sink takes the batch, actions until the batch is finished.
 */
final class Batch {

	/** Maximum number of entries, because requests wait while a batch is applied. */
	private static final int MAX_ENTRIES = 2_048;

	private final List<Proposal> proposals = new ArrayList<>();

	private final Deque<Action> actions = new ArrayDeque<>();

	/** Size of the entries in bytes, estimated if they are not encoded. */
	private long bytes;

	/** Estimated memory of all entries and actions, in bytes. */
	private long heldBytes;

	/** Log position of the last entry. */
	private long last;

	private boolean decided;

	private boolean committed;

	/**
	 * Returns whether an entry can be added.
	 * @param maxBytes maximum size of the batch, which a single entry may exceed
	 */
	boolean accepts(Proposal proposal, long maxBytes) {
		return this.proposals.size() < MAX_ENTRIES && this.bytes + proposal.size() <= maxBytes;
	}

	void add(Proposal proposal, long position) {
		this.proposals.add(proposal);
		this.bytes += proposal.size();
		this.heldBytes += proposal.heldBytes() + CommandLog.OVERHEAD;
		this.last = position;
	}

	/**
	 * Adds an action.
	 * @param position position of the entry for which the action waits
	 */
	void add(long position, Runnable action, int bytes) {
		this.actions.add(new Action(position, action));
		this.heldBytes += bytes + CommandLog.OVERHEAD;
	}

	List<Proposal> proposals() {
		return this.proposals;
	}

	/**
	 * Returns the encoded entries to write.
	 * @param maxEntryBytes maximum size of an entry
	 */
	List<byte[]> encode(int maxEntryBytes) {
		List<byte[]> entries = new ArrayList<>(this.proposals.size());
		for (Proposal proposal : this.proposals) {
			proposal.prepare(maxEntryBytes);
			if (!proposal.isOmitted()) {
				entries.add(proposal.encoding());
			}
		}
		return entries;
	}

	/** Releases the encoded entries. */
	void written() {
		this.proposals.forEach(Proposal::written);
	}

	/** Returns whether to write the batch even while the disk is full. */
	boolean isEssential() {
		return this.proposals.stream().allMatch((each) -> each.isOmitted() || each.isEssential());
	}

	/** Returns whether to force the batch to disk regardless of the options. */
	boolean isForced() {
		return this.proposals.stream().anyMatch((each) -> !each.isOmitted() && each.isForced());
	}

	/** Sets the outcome, which takes effect after the outcomes of all earlier batches. */
	void decide(boolean committed) {
		this.decided = true;
		this.committed = committed;
	}

	boolean isDecided() {
		return this.decided;
	}

	boolean isCommitted() {
		return this.committed;
	}

	/**
	 * Removes the next action.
	 * @param done position of the latest entry that was applied or rejected
	 * @return the action, or {@code null} if all remaining actions wait for later entries
	 */
	@Nullable Runnable nextAction(long done) {
		Action action = this.actions.peek();
		if (action == null || action.position > done) {
			return null;
		}
		this.actions.remove();
		return action.task;
	}

	long last() {
		return this.last;
	}

	long heldBytes() {
		return this.heldBytes;
	}

	private record Action(long position, Runnable task) {
	}

}
