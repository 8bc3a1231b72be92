package io.statestore.client;

import java.util.Optional;

import io.statestore.protocol.TraceContext;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Change of a watched key (protocol section 6).
 *
 * @param <T> the type of the value
 * @param key the key
 * @param operation the kind of the change
 * @param value the new converted value; {@code null} for a deletion
 * @param version version of the change, greater than that of the previous change. It can
 * be smaller only if the store returned to older data, or its clock was set back. If a
 * deletion was detected by reading, its version is unknown; this is then the smallest
 * version after the last one seen
 * @param resynchronized whether earlier changes of this key may be missing. This is the
 * case for a value read from the store, and for a change that replaced others in the full
 * queue of a slow listener
 * @param traceContext trace context of the write, empty if it is not known
 */
public record KeyChange<T>(Key key, Operation operation, @Nullable T value, Version version, boolean resynchronized,
		TraceContext traceContext) {

	/**
	 * Creates a change.
	 * @throws IllegalArgumentException if a SET has no value, or a DELETE has one
	 */
	public KeyChange {
		Arguments.require((value == null) == (operation == Operation.DELETE),
				"'value' must not be null for SET and must be null for DELETE");
	}

	/**
	 * Creates a change without a trace context.
	 * @param key the key
	 * @param operation the kind of the change
	 * @param value the new converted value; {@code null} for a deletion
	 * @param version version of the change
	 * @param resynchronized whether earlier changes of this key may be missing
	 * @throws IllegalArgumentException if a SET has no value, or a DELETE has one
	 */
	public KeyChange(Key key, Operation operation, @Nullable T value, Version version, boolean resynchronized) {
		this(key, operation, value, version, resynchronized, TraceContext.EMPTY);
	}

	/**
	 * Returns the new value.
	 * @return the value, empty for a deletion
	 */
	public Optional<T> optionalValue() {
		return Optional.ofNullable(this.value);
	}

	/**
	 * Returns all components except the value and the trace context: logs must not
	 * contain them.
	 */
	@Override
	public String toString() {
		return "KeyChange[" + this.operation + " key=" + this.key + ", version=" + this.version
				+ (this.resynchronized ? ", resynchronized]" : "]");
	}

	/** Kind of a change. */
	public enum Operation {

		/** The key was set. The value may equal the previous one. */
		SET,

		/** The key was deleted, or it expired. */
		DELETE

	}

}
