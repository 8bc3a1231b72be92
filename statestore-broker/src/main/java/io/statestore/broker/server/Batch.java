package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Entries that are written together, and actions that wait for them. Entries are added
 * before the writer takes the batch, actions until the batch is finished.
 */
final class Batch {

	/** Requests must not wait for the application of too many entries. */
	private static final int MAX_ENTRIES = 2_048;

	private static final long MAX_BYTES = 8L << 20;

	/** Estimated heap of an entry or action in addition to the bytes of clients. */
	static final int OVERHEAD = 400;

	private final List<Proposal> proposals = new ArrayList<>();

	private final Deque<Action> actions = new ArrayDeque<>();

	/** Outcomes of the entries that are not written. */
	private Map<Proposal, Runnable> omitted = Map.of();

	private long proposalBytes;

	private long heldBytes;

	private long last;

	private boolean committed;

	/** Index of the last entry in the log of this node. */
	private long lastIndex;

	/**
	 * Adds an entry.
	 * @param position the position of the entry
	 */
	void add(Proposal proposal, long position) {
		add(proposal, position, proposal.bytes());
	}

	/**
	 * Adds an entry.
	 * @param position the position of the entry
	 * @param heldBytes the number of bytes that the entry holds
	 */
	void add(Proposal proposal, long position, int heldBytes) {
		this.proposals.add(proposal);
		this.proposalBytes += proposal.bytes();
		this.heldBytes += heldBytes + OVERHEAD;
		this.last = position;
	}

	/**
	 * Adds an action.
	 * @param position the position of the entry that the action waits for
	 */
	void add(long position, Runnable action, int bytes) {
		this.actions.add(new Action(position, action));
		this.heldBytes += bytes + OVERHEAD;
	}

	/** Returns whether further entries must go to another batch. */
	boolean isFull() {
		return this.proposals.size() >= MAX_ENTRIES || this.proposalBytes >= MAX_BYTES;
	}

	List<Proposal> proposals() {
		return this.proposals;
	}

	/**
	 * Leaves out an entry. Called by the writer.
	 * @param outcome called instead of {@link Proposal#applied}
	 */
	void omit(Proposal proposal, Runnable outcome) {
		if (this.omitted.isEmpty()) {
			this.omitted = new IdentityHashMap<>();
		}
		this.omitted.put(proposal, outcome);
	}

	/** Returns the outcome of an entry that was left out, {@code null} if it was not. */
	@Nullable Runnable omitted(Proposal proposal) {
		return this.omitted.isEmpty() ? null : this.omitted.get(proposal);
	}

	/**
	 * Removes the next action.
	 * @param done position of the latest entry that was applied or rejected
	 * @return the action, or {@code null} if all remaining ones wait for later entries
	 */
	@Nullable Runnable nextAction(long done) {
		Action action = this.actions.peek();
		if (action == null || action.position > done) {
			return null;
		}
		this.actions.remove();
		return action.task;
	}

	/** Returns the position of the last entry. */
	long last() {
		return this.last;
	}

	/** Returns the estimated memory of all entries and actions. */
	long heldBytes() {
		return this.heldBytes;
	}

	/**
	 * Called when the batch is committed.
	 * @param lastIndex index of the last entry in the log of this node, 0 if it is not
	 * known
	 */
	void committed(long lastIndex) {
		this.committed = true;
		this.lastIndex = lastIndex;
	}

	boolean isCommitted() {
		return this.committed;
	}

	long lastIndex() {
		return this.lastIndex;
	}

	private record Action(long position, Runnable task) {
	}

}
