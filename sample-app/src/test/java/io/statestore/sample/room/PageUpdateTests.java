package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import io.statestore.sample.room.LogEntry.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Differences between two states of the page, applied as htmx does. */
class PageUpdateTests {

	private final Random random = new Random(42);

	@Test
	void rowsAndEntriesEqualThoseOfTheStateAfterEveryUpdate() {
		PageState before = state(List.of(), List.of());
		List<String> rows = new ArrayList<>();
		List<String> entries = new ArrayList<>();
		TreeMap<String, StoredKey> keys = new TreeMap<>();
		List<LogEntry> log = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			change(keys, i);
			if (this.random.nextInt(3) == 0) {
				log.add(new LogEntry(i + 1, Instant.EPOCH, Kind.CHANGE, "entry"));
			}
			while (log.size() > 5) {
				log.remove(0);
			}
			PageState now = state(List.copyOf(keys.values()), List.copyOf(log));
			apply(PageUpdate.between(before, now), rows, entries);
			assertThat(rows).isEqualTo(KeyView.of(now.keys()).stream().map(KeyView::id).toList());
			assertThat(entries).isEqualTo(LogView.of(now.log()).stream().map(LogView::id).toList());
			before = now;
		}
	}

	private void change(TreeMap<String, StoredKey> keys, int number) {
		for (int i = 0; i < 4; i++) {
			String key = "key " + this.random.nextInt(30);
			if (this.random.nextBoolean()) {
				keys.remove(key);
			}
			else {
				keys.put(key, new StoredKey(key, "value", number + ":0:node", number));
			}
		}
	}

	private static void apply(PageUpdate update, List<String> rows, List<String> entries) {
		for (String id : update.removedKeys()) {
			assertThat(rows.remove(id)).isTrue();
		}
		for (PageUpdate.AddedKey added : update.addedKeys()) {
			int index = 0;
			if (added.previous() != null) {
				index = rows.indexOf(added.previous()) + 1;
				assertThat(index).isPositive();
			}
			rows.add(index, added.key().id());
		}
		assertThat(rows).containsAll(update.changedKeys().stream().map(KeyView::id).toList());
		for (String id : update.removedEntries()) {
			assertThat(entries.remove(id)).isTrue();
		}
		entries.addAll(0, update.addedEntries().stream().map(LogView::id).toList());
	}

	private static PageState state(List<StoredKey> keys, List<LogEntry> log) {
		return new PageState(List.of(), new Leadership(null, null, null, Duration.ofSeconds(5), null), null,
				Rejected.NONE, keys, keys.size(), log, 0, true, true, List.of());
	}

}
