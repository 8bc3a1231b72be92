package io.statestore.dafka.node;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Peers.Candidate;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that were heard and to which there is no connection yet. Those heard at least
 * twice come first: a flood of made-up nodes repeats none. Not thread-safe.
 */
final class Candidates {

	private static final int MAX_SIZE = 5_000;

	private final long timeoutNanos;

	private final Map<Bytes, Candidate> once = new LinkedHashMap<>();

	private final Map<Bytes, Candidate> repeated = new LinkedHashMap<>();

	Candidates(long timeoutNanos) {
		this.timeoutNanos = timeoutNanos;
	}

	void add(Bytes id, String endpoint, long now) {
		Candidate candidate = new Candidate(id, endpoint, null, now);
		boolean again = this.once.remove(id) != null || this.repeated.containsKey(id);
		Map<Bytes, Candidate> map = again ? this.repeated : this.once;
		map.put(id, candidate);
		if (map.size() > MAX_SIZE) {
			removeOldest(map);
		}
	}

	boolean isEmpty() {
		return this.once.isEmpty() && this.repeated.isEmpty();
	}

	/** Removes the next one, {@code null} if there is none. */
	@Nullable Candidate next(long now) {
		while (!isEmpty()) {
			Candidate candidate = removeOldest(this.repeated.isEmpty() ? this.once : this.repeated);
			if (now - candidate.heardAt() <= this.timeoutNanos) {
				return candidate;
			}
		}
		return null;
	}

	private static Candidate removeOldest(Map<Bytes, Candidate> map) {
		Iterator<Candidate> candidates = map.values().iterator();
		Candidate oldest = candidates.next();
		candidates.remove();
		return oldest;
	}

}
