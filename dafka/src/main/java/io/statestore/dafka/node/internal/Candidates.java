package io.statestore.dafka.node.internal;

import org.jspecify.annotations.Nullable;

/**
 * Announced nodes that are not connected yet. Nodes that were announced at least twice
 * have priority, because a flood of random nodes repeats none. Hosts take turns, because
 * a flood from one host may repeat its nodes. Not thread-safe.
 */
final class Candidates {

	private static final int MAX_SIZE = 5_000;

	/**
	 * Number of remembered hashes, a power of two. A flood replaces few of them within
	 * the interval of beacons.
	 */
	private static final int REMEMBERED = 1 << 16;

	private final CandidateQueue once;

	private final CandidateQueue repeated;

	/** Hashes of announced nodes, in slots that the hashes choose. */
	private final int[] heard = new int[REMEMBERED];

	Candidates(long timeoutNanos) {
		this.once = new CandidateQueue(MAX_SIZE, timeoutNanos);
		this.repeated = new CandidateQueue(MAX_SIZE, timeoutNanos);
	}

	/** Handles a beacon of a node. */
	void add(Candidate candidate, long now) {
		if (remember(candidate) || this.repeated.contains(candidate)) {
			this.once.remove(candidate);
			this.repeated.add(candidate, now);
		}
		else {
			this.once.add(candidate, now);
		}
	}

	/** Remembers a node, and returns whether it was already remembered. */
	private boolean remember(Candidate candidate) {
		// Fibonacci hashing (Knuth, The Art of Computer Programming, Volume 3, 6.4).
		int hash = (31 * candidate.id().hashCode() + candidate.endpoint().hashCode()) * 0x9E3779B9;
		int slot = hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(REMEMBERED));
		boolean again = this.heard[slot] == hash;
		this.heard[slot] = hash;
		return again;
	}

	boolean isEmpty() {
		return this.once.isEmpty() && this.repeated.isEmpty();
	}

	/**
	 * Removes and returns the next node for which there is a slot.
	 * @return the node, or {@code null} if there is none
	 */
	@Nullable Candidate next(long now, ConnectingSlots slots) {
		if (slots.isFull()) {
			return null;
		}
		Candidate next = this.repeated.next(now, slots::hasRoomFor);
		return (next == null && slots.hasRoomForNew()) ? this.once.next(now, slots::hasRoomFor) : next;
	}

}
