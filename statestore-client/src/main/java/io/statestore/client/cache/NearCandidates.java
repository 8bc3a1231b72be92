package io.statestore.client.cache;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Entries of a near cache in the order in which they are considered for eviction (CLOCK,
 * Corbato 1968, "A paging experiment with the Multics system"). Not thread-safe.
 */
final class NearCandidates {

	/** Maximum number of entries considered for one eviction, which bounds its time. */
	static final int MAX_CONSIDERED = 64;

	private final Set<NearEntry> entries = new LinkedHashSet<>();

	int size() {
		return this.entries.size();
	}

	void add(NearEntry entry) {
		this.entries.add(entry);
	}

	void remove(NearEntry entry) {
		this.entries.remove(entry);
	}

	/**
	 * Removes the first entry that was not read since its last turn, or the last entry
	 * considered. Entries whose watches have not started stay, because ending these would
	 * cost more requests than the entries save.
	 * @return the entry removed, {@code null} if all entries considered have not started
	 */
	@Nullable NearEntry evict() {
		NearEntry last = null;
		for (int i = Math.min(MAX_CONSIDERED, this.entries.size()); i > 0; i--) {
			Iterator<NearEntry> iterator = this.entries.iterator();
			NearEntry entry = iterator.next();
			iterator.remove();
			if (!entry.isStarting()) {
				if (!entry.takeUsed()) {
					return entry;
				}
				last = entry;
			}
			this.entries.add(entry);
		}
		if (last != null) {
			this.entries.remove(last);
		}
		return last;
	}

	/** Removes all entries, and returns them. */
	List<NearEntry> removeAll() {
		List<NearEntry> removed = List.copyOf(this.entries);
		this.entries.clear();
		return removed;
	}

}
