package io.statestore.broker.server;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Strings of which equal ones share one object. Every lock keeps the id of its client, so
 * copies could exceed the memory of the store. Holds no string that is not in use.
 */
final class SharedStrings {

	private final Map<String, WeakReference<String>> strings = new WeakHashMap<>();

	/** Returns the first of all equal strings that is still in use. */
	String share(String string) {
		WeakReference<String> reference = this.strings.get(string);
		String shared = (reference != null) ? reference.get() : null;
		if (shared != null) {
			return shared;
		}
		this.strings.put(string, new WeakReference<>(string));
		return string;
	}

}
