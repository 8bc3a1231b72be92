package io.statestore.sample.room;

import java.util.List;

/**
 * Row of a key.
 *
 * @param id identifier of its elements
 * @param parameter the key as a request parameter
 * @param key the key in readable form
 * @param value its value in readable form
 * @param version its version in short form
 * @param fullVersion its version
 * @param changes its number of changes
 */
record KeyView(String id, String parameter, String key, String value, String version, String fullVersion,
		long changes) {

	static KeyView of(StoredKey stored) {
		return new KeyView(ReadableText.id("k", stored.key()), ReadableText.encode(stored.key()),
				ReadableText.key(stored.key()), ReadableText.value(stored.value()),
				ReadableText.version(stored.version()), ReadableText.key(stored.version()), stored.changes());
	}

	static List<KeyView> of(List<StoredKey> stored) {
		return stored.stream().map(KeyView::of).toList();
	}

	/** Returns the parts of the value between which a line may break. */
	public List<String> parts() {
		return ReadableText.parts(this.value);
	}

}
