package io.statestore.client.cache;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.statestore.client.Key;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NearEvictionTests {

	private final Set<NearEntry> candidates = new LinkedHashSet<>();

	private final List<NearEntry> entries = new ArrayList<>();

	private NearEntry add(boolean started) {
		NearEntry entry = new NearEntry(Key.of("key " + this.entries.size()), new Version(1, 0, "StateStore"),
				new NearExpiry(null, () -> 0), (bytes) -> bytes, () -> {
				});
		if (started) {
			entry.endStart();
		}
		this.entries.add(entry);
		this.candidates.add(entry);
		return entry;
	}

	@Test
	void evictsFirstUnusedEntry() {
		add(true);
		NearEntry unused = add(true);
		add(true);
		unused.takeUsed();
		assertThat(NearCache.evict(this.candidates)).isSameAs(unused);
		assertThat(this.candidates.size()).isEqualTo(2);
		// The first entry was not read since it was considered.
		assertThat(NearCache.evict(this.candidates)).isSameAs(this.entries.get(0));
	}

	@Test
	void considersFewEntriesIfAllAreUsed() {
		for (int i = 0; i < 10 * NearCache.MAX_CONSIDERED; i++) {
			add(true);
		}
		assertThat(NearCache.evict(this.candidates)).isSameAs(this.entries.get(NearCache.MAX_CONSIDERED - 1));
		assertThat(this.candidates.size()).isEqualTo(this.entries.size() - 1);
		assertThat(this.entries.stream().filter(NearEntry::takeUsed))
			.hasSize(this.entries.size() - NearCache.MAX_CONSIDERED);
	}

	@Test
	void keepsStartingEntries() {
		add(false);
		add(false);
		assertThat(NearCache.evict(this.candidates)).isNull();
		NearEntry started = add(true);
		assertThat(NearCache.evict(this.candidates)).isSameAs(started);
		assertThat(this.candidates.size()).isEqualTo(2);
	}

}
