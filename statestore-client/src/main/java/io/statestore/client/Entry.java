package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * State store entry, as it was when the store read it.
 *
 * @param <T> the type of the value
 * @param key the key
 * @param value the converted value
 * @param version the version of the entry's last write, greater than the versions of all
 * earlier writes
 */
public record Entry<T>(Key key, T value, Version version) {

	/**
	 * Returns the key and the version. The value is omitted because logs must not contain
	 * it.
	 */
	@Override
	public String toString() {
		return "Entry[key=" + this.key + ", version=" + this.version + "]";
	}

}
