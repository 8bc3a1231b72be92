package io.statestore.client;

import java.util.Optional;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A change of an observed key (protocol section 6).
 *
 * @param key the key
 * @param operation what happened to it
 * @param value the new value, converted; {@code null} exactly if the key is gone
 * @param version the version of the change, greater than that of the change before it,
 * unless the store itself went back: to an older copy of its data, or with its clock.
 * Where a deletion was found out by reading, its own version is unknown: then this is the
 * smallest version after the last one that was seen
 * @param resynchronised whether changes of this key before this one may have been
 * skipped. The value was read from the store, as the initial value or after changes that
 * were not notified, or it is the latest of several changes that a slow listener had no
 * room for
 */
public record KeyChange<T>(Key key, Operation operation, @Nullable T value, Version version, boolean resynchronised) {

	public KeyChange {
		Arguments.require((value == null) == (operation == Operation.DELETE),
				"'value' must be there for SET and null for DELETE");
	}

	/** Empty if the key is gone. */
	public Optional<T> optionalValue() {
		return Optional.ofNullable(this.value);
	}

	/** Without the value, which has no place in a log. */
	@Override
	public String toString() {
		return "KeyChange[" + this.operation + " key=" + this.key + ", version=" + this.version
				+ (this.resynchronised ? ", resynchronised]" : "]");
	}

	/** What happened to the key. */
	public enum Operation {

		/** It has a new value, perhaps equal to the one before. */
		SET,

		/** It was deleted, or it expired. */
		DELETE

	}

}
