package io.statestore.client;

import io.statestore.protocol.Version;

/**
 * Entry of the state store, as it was when the store read it.
 *
 * @param <T> the type of the value
 * @param key the key
 * @param value the converted value
 * @param version the version, greater than the versions of all earlier writes
 */
public record Entry<T>(Key key, T value, Version version) {

	/** Returns the key and the version, without the value: logs must not contain it. */
	@Override
	public String toString() {
		return "Entry[key=" + this.key + ", version=" + this.version + "]";
	}

}
