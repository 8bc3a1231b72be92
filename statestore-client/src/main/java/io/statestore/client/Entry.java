package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * A key, its value and the version of the value, as the store had them at one moment.
 *
 * @param key the key
 * @param value the value, converted
 * @param version the version, greater than that of everything stored before
 */
public record Entry<T>(Key key, T value, Version version) {

	/** Without the value, which has no place in a log. */
	@Override
	public String toString() {
		return "Entry[key=" + this.key + ", version=" + this.version + "]";
	}

}
