package io.statestore.client;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Keys given as strings, and the mapping back to the strings. */
final class TextKeys {

	private static final String PATTERN_CHARACTERS = "*?[";

	private final Map<Key, String> texts = new LinkedHashMap<>();

	TextKeys(Collection<String> keys) {
		Arguments.notNull("keys", keys).forEach((text) -> this.texts.put(Key.of(text), text));
	}

	Iterable<Key> keys() {
		return this.texts.keySet();
	}

	/** Returns the given entries, indexed by the keys' strings. */
	<T> Map<String, Entry<T>> select(Map<Key, Entry<T>> entries) {
		Map<String, Entry<T>> result = new LinkedHashMap<>();
		this.texts.forEach((key, text) -> {
			Entry<T> entry = entries.get(key);
			if (entry != null) {
				result.put(text, entry);
			}
		});
		return Collections.unmodifiableMap(result);
	}

	static boolean isPattern(String text) {
		return text.chars().anyMatch((character) -> PATTERN_CHARACTERS.indexOf(character) >= 0);
	}

}
