package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A batch of the command log that becomes one entry of the replicated log. Used only
 * within the serial executor.
 */
final class ReplicatedBatch {

	/** Requests must not wait for the application of too many entries. */
	private static final int MAX_ENTRIES = 2_048;

	enum State {

		/** Not proposed. Entries may be added to the last batch. */
		OPEN,

		/** Proposed, without an outcome. */
		PROPOSED,

		/** Proposed. Not in the log if a later batch is committed first. */
		UNKNOWN,

		/** Committed or rejected. Ends as soon as all earlier batches have ended. */
		DECIDED

	}

	private final Batch batch = new Batch();

	private final int maxBytes;

	/** Entries to write. */
	private final List<EncodedProposal> entries = new ArrayList<>();

	private State state = State.OPEN;

	/** Size of the entry in the replicated log. */
	private int bytes = ReplicatedEntry.HEADER_BYTES;

	/**
	 * Creates an empty batch.
	 * @param maxBytes size of the entry in the replicated log that only a batch with one
	 * entry may exceed
	 */
	ReplicatedBatch(int maxBytes) {
		this.maxBytes = maxBytes;
	}

	/** Returns whether an entry can be added. */
	boolean accepts(EncodedProposal entry) {
		return this.state == State.OPEN && this.batch.proposals().size() < MAX_ENTRIES
				&& this.bytes + (long) entry.size() <= this.maxBytes;
	}

	/**
	 * Adds an entry.
	 * @param position the position of the entry
	 */
	void add(EncodedProposal entry, long position) {
		Proposal proposal = entry.proposal();
		this.batch.add(proposal, position, heldBytes(entry));
		Runnable outcome = entry.outcome();
		if (outcome != null) {
			this.batch.omit(proposal, outcome);
		}
		else {
			this.entries.add(entry);
			this.bytes += entry.size();
		}
	}

	/** Returns the memory of an entry and its encoding, in bytes. */
	static int heldBytes(EncodedProposal entry) {
		return (int) Math.min(Integer.MAX_VALUE / 2, (long) entry.proposal().bytes() + entry.bytes().length);
	}

	/** Leaves out the entries whose requests have expired, and encodes the others. */
	ByteBuffer encode() {
		this.entries.removeIf((entry) -> omitExpired(entry.proposal()));
		return ReplicatedEntry.encode(this.entries.stream().map(EncodedProposal::bytes).toList());
	}

	private boolean omitExpired(Proposal proposal) {
		boolean expired = proposal.isExpired();
		if (expired) {
			this.batch.omit(proposal, proposal::expired);
		}
		return expired;
	}

	/** Returns whether there is nothing to propose. */
	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	/** Returns whether all entries are to be written even while the disk is full. */
	boolean isEssential() {
		return this.entries.stream().allMatch((entry) -> entry.proposal().isEssential());
	}

	Batch batch() {
		return this.batch;
	}

	State state() {
		return this.state;
	}

	/** Called when the batch is proposed. */
	void proposed() {
		this.state = State.PROPOSED;
		// Their encoding is not needed any longer.
		this.entries.clear();
	}

	/** Called when only a later batch can show that this one is not in the log. */
	void unknown() {
		this.state = State.UNKNOWN;
	}

	/** Called when the batch is committed. */
	void committed() {
		this.state = State.DECIDED;
		this.batch.committed(0);
	}

	/** Called when the batch is rejected. */
	void rejected() {
		this.state = State.DECIDED;
	}

}
