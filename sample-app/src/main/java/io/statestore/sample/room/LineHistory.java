package io.statestore.sample.room;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Changes of the store, including those before this start. Reads the journal of the
 * broker, so its methods may take some time.
 */
class LineHistory {

	/**
	 * A change of a key.
	 *
	 * @param value the new value as text, {@code null} if the key was deleted or expired
	 * @param author client that made the change, {@code null} if the key expired
	 * @param at time of the change, by the clock of the store
	 * @param version version of the change
	 */
	record Change(@Nullable String value, @Nullable String author, Instant at, String version) {
	}

	/** Returns whether the broker keeps a history: not with Mosquitto. */
	boolean isAvailable() {
		return false;
	}

	/** Returns the keys that have ever existed, in alphabetical order. */
	List<String> keys() {
		return List.of();
	}

	/** Returns the changes of a key, oldest first, at most the last 500. */
	List<Change> changes(String key) {
		return List.of();
	}

	/**
	 * Returns the content of the store after the change with a version, in alphabetical
	 * order.
	 * @throws IllegalArgumentException if the version is malformed
	 */
	List<StoredKey> storeAt(String version) {
		return List.of();
	}

}
