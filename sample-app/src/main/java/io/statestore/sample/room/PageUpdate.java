package io.statestore.sample.room;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Difference between two states of the page.
 *
 * @param machines all tiles, if a press was added or removed
 * @param heads names and states that have changed
 * @param readings readings that have changed
 * @param buttons buttons that have changed
 * @param removedKeys identifiers of removed keys
 * @param addedKeys added keys, each with the row that it follows
 * @param changedKeys keys with another value or version
 * @param removedEntries identifiers of entries that are too old for the log
 * @param addedEntries added entries, latest first
 */
record PageUpdate(@Nullable List<MachineView> machines, List<MachineView.Head> heads,
		List<MachineView.Readings> readings, List<MachineView.Buttons> buttons, List<String> removedKeys,
		List<AddedKey> addedKeys, List<KeyView> changedKeys, List<String> removedEntries, List<LogView> addedEntries) {

	static PageUpdate between(PageState before, PageState now) {
		List<MachineView> old = MachineView.of(before.machines(), before.canPause());
		List<MachineView> current = MachineView.of(now.machines(), now.canPause());
		boolean same = old.stream()
			.map(MachineView::id)
			.toList()
			.equals(current.stream().map(MachineView::id).toList());
		Map<String, StoredKey> keys = before.keys()
			.stream()
			.collect(Collectors.toMap(StoredKey::key, Function.identity(), (first, second) -> first));
		Set<String> removed = new HashSet<>(keys.keySet());
		List<AddedKey> addedKeys = new ArrayList<>();
		List<KeyView> changedKeys = new ArrayList<>();
		String previous = null;
		for (StoredKey key : now.keys()) {
			StoredKey known = keys.get(key.key());
			removed.remove(key.key());
			if (known == null) {
				addedKeys.add(new AddedKey(KeyView.of(key), previous));
			}
			else if (!known.equals(key)) {
				changedKeys.add(KeyView.of(key));
			}
			previous = ReadableText.id("k", key.key());
		}
		long first = now.log().isEmpty() ? Long.MAX_VALUE : now.log().get(0).number();
		return new PageUpdate(same ? null : current, changed(same, old, current, MachineView::head),
				changed(same, old, current, MachineView::readings), changed(same, old, current, MachineView::buttons),
				removed.stream().map((key) -> ReadableText.id("k", key)).toList(), addedKeys, changedKeys,
				before.log()
					.stream()
					.filter((entry) -> entry.number() < first)
					.map((entry) -> "e" + entry.number())
					.toList(),
				LogView.of(now.log().stream().filter((entry) -> entry.number() > before.lastEntry()).toList()));
	}

	private static <T> List<T> changed(boolean same, List<MachineView> before, List<MachineView> now,
			Function<MachineView, T> part) {
		List<T> changed = new ArrayList<>();
		for (int i = 0; same && i < now.size(); i++) {
			T current = part.apply(now.get(i));
			if (!Objects.equals(current, part.apply(before.get(i)))) {
				changed.add(current);
			}
		}
		return changed;
	}

	/**
	 * An added key.
	 *
	 * @param key the key
	 * @param previous identifier of the row before it, {@code null} if it is the first
	 */
	record AddedKey(KeyView key, @Nullable String previous) {

		/** Returns the position of the row, as htmx describes it. */
		public String position() {
			return (this.previous != null) ? "afterend:#" + this.previous : "afterbegin:#keys";
		}

	}

}
