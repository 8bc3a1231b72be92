package io.statestore.dafka.node;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Peers.Candidate;
import org.jspecify.annotations.Nullable;

/**
 * Candidates in the order in which to connect to them: hosts take turns, and those of a
 * host are in the order of their first beacons. A full queue refuses further candidates
 * of hosts that have at least the average number. For other hosts it drops the newest
 * candidate of the host that has most. Not thread-safe.
 */
final class CandidateQueue {

	private final int maxSize;

	private final long timeoutNanos;

	/** Candidates of each host by id; the hosts in the order of their turns. */
	private final Map<String, Map<Bytes, Candidate>> hosts = new LinkedHashMap<>();

	private int size;

	private long purgedAt;

	/**
	 * Creates an empty queue.
	 * @param maxSize maximum number of candidates
	 * @param timeoutNanos time after its beacon until which a candidate is valid
	 */
	CandidateQueue(int maxSize, long timeoutNanos) {
		this.maxSize = maxSize;
		this.timeoutNanos = timeoutNanos;
	}

	boolean isEmpty() {
		return this.size == 0;
	}

	boolean contains(Candidate candidate) {
		return candidates(candidate).containsKey(candidate.id());
	}

	/** Adds a candidate, or renews it at its place. */
	void add(Candidate candidate, long now) {
		if (!contains(candidate)) {
			if (this.size >= this.maxSize && !makeRoom(candidate, now)) {
				return;
			}
			this.size++;
		}
		this.hosts.computeIfAbsent(candidate.host(), (host) -> new LinkedHashMap<>()).put(candidate.id(), candidate);
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
	 * Removes the next candidate that is valid.
	 * @param admitted accepts the hosts to which connections may be made now
	 * @return the candidate, or {@code null} if there is none
	 */
	@Nullable Candidate next(long now, Predicate<String> admitted) {
		Candidate next = null;
		for (Iterator<Map.Entry<String, Map<Bytes, Candidate>>> hosts = this.hosts.entrySet().iterator(); next == null
				&& hosts.hasNext();) {
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
				// Behind the other hosts.
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

	/** Returns whether there is room for a candidate of this host. */
	private boolean makeRoom(Candidate candidate, long now) {
		if (now - this.purgedAt >= this.timeoutNanos / 4) {
			this.purgedAt = now;
			purge(now);
		}
		if (this.size < this.maxSize) {
			return true;
		}
		// Without this, a flood of random hosts would search for the fullest one each
		// time.
		if ((long) (candidates(candidate).size() + 1) * this.hosts.size() >= this.maxSize) {
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
