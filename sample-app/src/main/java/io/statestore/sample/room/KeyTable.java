package io.statestore.sample.room;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;

/** The keys of the store. Not thread-safe. */
final class KeyTable {

	private static final int MAX_VALUE = 200;

	private final Map<String, StoredKey> keys = new TreeMap<>();

	private long changes;

	void changed(KeyChange<Bytes> change) {
		String key = change.key().bytes().toUtf8();
		Bytes value = change.value();
		if (value != null) {
			this.changes++;
			this.keys.compute(key, (name, old) -> new StoredKey(name, text(value), change.version().toString(),
					(old != null) ? old.changes() + 1 : 1));
		}
		else if (this.keys.remove(key) != null) {
			this.changes++;
		}
	}

	/** Returns a value as text, shortened. */
	static String text(Bytes value) {
		String text = value.slice(0, Math.min(value.length(), 4 * MAX_VALUE)).toUtf8();
		return (text.length() <= MAX_VALUE) ? text : text.substring(0, MAX_VALUE - 1) + '…';
	}

	List<StoredKey> keys() {
		return List.copyOf(this.keys.values());
	}

	long changes() {
		return this.changes;
	}

}
