package io.statestore.dafka.node.internal;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Announced nodes that are not connected yet. Nodes announced at least twice have
 * priority, because a flood of random nodes does not repeat any node. Hosts take turns,
 * because a flood from one host may repeat its nodes. Not thread-safe.
 */
final class Candidates {

	private static final int MAX_SIZE = 5_000;

	/**
	 * Number of remembered hashes, a power of two. A flood replaces few of them per
	 * beacon interval.
	 */
	private static final int REMEMBERED = 1 << 16;

	private final Queue once;

	private final Queue repeated;

	/** Hashes of announced nodes, each in a slot that its hash determines. */
	private final int[] heard = new int[REMEMBERED];

	Candidates(long timeoutNanos) {
		this.once = new Queue(timeoutNanos);
		this.repeated = new Queue(timeoutNanos);
	}

	void add(Candidate candidate, long now) {
		if (remember(candidate) || this.repeated.contains(candidate)) {
			this.once.remove(candidate);
			this.repeated.add(candidate, now);
		}
		else {
			this.once.add(candidate, now);
		}
	}

	/** Remembers a node and returns whether it was already remembered. */
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

	/**
	 * Fair queue of candidates: hosts take turns, and each host's candidates are in the
	 * order of their first beacons. A full queue refuses a candidate if its host has at
	 * least the average number of candidates. Otherwise, it drops the newest candidate of
	 * the host with the most candidates. Not thread-safe.
	 */
	private static final class Queue {

		private final long timeoutNanos;

		/** Candidates by host and ID, with the hosts in the order of their turns. */
		private final Map<String, Map<Bytes, Candidate>> hosts = new LinkedHashMap<>();

		private int size;

		private long purgedAt;

		/**
		 * Creates an empty queue.
		 * @param timeoutNanos how long a candidate is valid after its latest beacon
		 */
		Queue(long timeoutNanos) {
			this.timeoutNanos = timeoutNanos;
		}

		boolean isEmpty() {
			return this.size == 0;
		}

		boolean contains(Candidate candidate) {
			return candidates(candidate).containsKey(candidate.id());
		}

		/** Adds a candidate, or replaces it without changing the order. */
		void add(Candidate candidate, long now) {
			if (!contains(candidate)) {
				if (this.size >= MAX_SIZE && !makeRoom(candidate, now)) {
					return;
				}
				this.size++;
			}
			this.hosts.computeIfAbsent(candidate.host(), (host) -> new LinkedHashMap<>())
				.put(candidate.id(), candidate);
		}

		void remove(Candidate candidate) {
			if (contains(candidate)) {
				Map<Bytes, Candidate> candidates = candidates(candidate);
				candidates.remove(candidate.id());
				this.size--;
				if (candidates.isEmpty()) {
					this.hosts.remove(candidate.host());
				}
			}
		}

		/**
		 * Removes and returns the next valid candidate.
		 * @param admitted accepts the hosts that may be connected to now
		 * @return the candidate, or {@code null} if there is none
		 */
		@Nullable Candidate next(long now, Predicate<String> admitted) {
			Candidate next = null;
			for (Iterator<Map.Entry<String, Map<Bytes, Candidate>>> hosts = this.hosts.entrySet()
				.iterator(); next == null && hosts.hasNext();) {
				Map.Entry<String, Map<Bytes, Candidate>> host = hosts.next();
				if (admitted.test(host.getKey())) {
					next = pollValid(host.getValue(), now);
					if (host.getValue().isEmpty()) {
						hosts.remove();
					}
				}
			}
			if (next != null) {
				Map<Bytes, Candidate> others = this.hosts.remove(next.host());
				if (others != null) {
					// This host's next turn comes after all others.
					this.hosts.put(next.host(), others);
				}
			}
			return next;
		}

		private @Nullable Candidate pollValid(Map<Bytes, Candidate> candidates, long now) {
			for (Iterator<Candidate> each = candidates.values().iterator(); each.hasNext();) {
				Candidate candidate = each.next();
				each.remove();
				this.size--;
				if (isValid(candidate, now)) {
					return candidate;
				}
			}
			return null;
		}

		/** Makes room for a candidate if possible. Returns whether there is room. */
		private boolean makeRoom(Candidate candidate, long now) {
			if (now - this.purgedAt >= this.timeoutNanos / 4) {
				this.purgedAt = now;
				purge(now);
			}
			if (this.size < MAX_SIZE) {
				return true;
			}
			// Avoids searching for the fullest host for each candidate of a flood with
			// random hosts.
			if ((long) (candidates(candidate).size() + 1) * this.hosts.size() >= MAX_SIZE) {
				return false;
			}
			this.hosts.values()
				.stream()
				.max(Comparator.comparingInt(Map::size))
				.flatMap((fullest) -> fullest.values().stream().reduce((earlier, later) -> later))
				.ifPresent(this::remove);
			return true;
		}

		private void purge(long now) {
			for (Map<Bytes, Candidate> candidates : this.hosts.values()) {
				int before = candidates.size();
				candidates.values().removeIf((candidate) -> !isValid(candidate, now));
				this.size -= before - candidates.size();
			}
			this.hosts.values().removeIf(Map::isEmpty);
		}

		private boolean isValid(Candidate candidate, long now) {
			return now - candidate.heardAt() <= this.timeoutNanos;
		}

		private Map<Bytes, Candidate> candidates(Candidate candidate) {
			return this.hosts.getOrDefault(candidate.host(), Map.of());
		}

	}

}
