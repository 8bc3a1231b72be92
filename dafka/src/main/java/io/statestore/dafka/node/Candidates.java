package io.statestore.dafka.node;

import io.statestore.dafka.node.Peers.Candidate;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that were heard and to which there is no connection yet. Those heard at least
 * twice come first, because a flood of random nodes repeats none. Hosts take turns,
 * because a flood from one host may repeat its nodes. Not thread-safe.
 */
final class Candidates {

	private static final int MAX_SIZE = 5_000;

	/**
	 * Hashes of nodes that were heard, so that a flood displaces few of them within the
	 * interval of beacons. A power of two.
	 */
	private static final int REMEMBERED = 1 << 16;

	private final CandidateQueue once;

	private final CandidateQueue repeated;

	private final int[] heard = new int[REMEMBERED];

	Candidates(long timeoutNanos) {
		this.once = new CandidateQueue(MAX_SIZE, timeoutNanos);
		this.repeated = new CandidateQueue(MAX_SIZE, timeoutNanos);
	}

	void add(Candidate candidate, long now) {
		if (wasHeard(candidate) || this.repeated.contains(candidate)) {
			this.once.remove(candidate);
			this.repeated.add(candidate, now);
		}
		else {
			this.once.add(candidate, now);
		}
	}

	private boolean wasHeard(Candidate candidate) {
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
	 * Removes the next node for which there is a slot.
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
