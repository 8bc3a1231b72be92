package io.statestore.sample.room;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.statestore.client.history.StateHistory;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Changes of the store, including those before this start: docs/dafka.md. The broker
 * reads its entire history for each call, so the calls of all pages take turns.
 */
@Component
class LineHistory {

	private static final int MAX_CHANGES = 500;

	/** Further authors share the last lane. */
	private static final int MAX_LANES = 6;

	private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("d MMM, HH:mm:ss.SSS", Locale.ENGLISH)
		.withZone(ZoneId.systemDefault());

	private final StateHistory history;

	LineHistory(StateHistory history) {
		this.history = history;
	}

	/** Returns the readable names of all keys that the history contains. */
	synchronized Map<String, String> keys() {
		return this.history.changes("*")
			.filter((change) -> change.operation() != Operation.GAP)
			.map((change) -> change.key().toUtf8())
			.collect(Collectors.toMap(StoredKey::parameter, StoredKey::name, (one, other) -> one, TreeMap::new));
	}

	/** Returns the changes of a key. */
	synchronized Changes changes(String key) {
		List<StoredChange> all = this.history.changes(GlobPattern.escape(key))
			.filter((change) -> change.operation() != Operation.GAP && change.operation() != Operation.PRESENT)
			.toList();
		List<String> authors = new ArrayList<>();
		List<Change> latest = new ArrayList<>();
		for (StoredChange change : all.subList(Math.max(0, all.size() - MAX_CHANGES), all.size())) {
			String author = (change.author() != null) ? StoredKey.name(change.author()) : "expired";
			if (!authors.contains(author)) {
				authors.add(author);
			}
			boolean removed = change.operation() != Operation.SET;
			String value = !removed ? StoredKey.text(change.value())
					: (change.author() != null) ? "deleted" : "expired";
			latest.add(0, new Change(value, removed, author, Math.min(authors.indexOf(author), MAX_LANES - 1),
					change.version()));
		}
		return new Changes(all.size(), latest, authors.stream().limit(MAX_LANES).toList());
	}

	/** Returns the content of the store at a time, in alphabetical order. */
	synchronized List<StoredKey> storeAt(long millis) {
		// Higher than all other versions of this millisecond.
		return this.history.content("*", new Version(millis, Integer.MAX_VALUE, "~"))
			.values()
			.stream()
			.map((entry) -> new StoredKey(entry.key().bytes().toUtf8(), entry.value(), entry.version(), 0,
					Instant.EPOCH))
			.sorted(Comparator.comparing(StoredKey::key))
			.toList();
	}

	static String moment(long millis) {
		return MOMENT.format(Instant.ofEpochMilli(millis));
	}

	/**
	 * A change of a key.
	 *
	 * @param value the new value as text
	 * @param removed whether the key was deleted, or has expired
	 * @param author client that made the change
	 * @param lane number of the lane of the author in the picture
	 * @param version version of the change
	 */
	record Change(String value, boolean removed, String author, int lane, Version version) {

		public long millis() {
			return this.version.wallMillis();
		}

		public String time() {
			return moment(millis());
		}

		public String shortVersion() {
			return StoredKey.shortVersion(this.version);
		}

	}

	/**
	 * Changes of a key.
	 *
	 * @param total their number
	 * @param latest the last 500 of them, latest first
	 * @param authors their authors, one for each lane
	 */
	record Changes(int total, List<Change> latest, List<String> authors) {

		public long first() {
			return this.latest.isEmpty() ? 0 : this.latest.get(this.latest.size() - 1).millis();
		}

		public long last() {
			return this.latest.isEmpty() ? 0 : Math.max(this.latest.get(0).millis(), first() + 1);
		}

		/** Returns the latest change as of a time. */
		public @Nullable Change at(long millis) {
			return this.latest.stream().filter((change) -> change.millis() <= millis).findFirst().orElse(null);
		}

		/** Returns the time of the change before a time. */
		public long before(long millis) {
			Change before = at(millis - 1);
			return (before != null) ? before.millis() : first();
		}

		/** Returns the time of the change after a time. */
		public long after(long millis) {
			return this.latest.stream()
				.map(Change::millis)
				.filter((time) -> time > millis)
				.reduce((a, b) -> b)
				.orElse(last());
		}

	}

}
