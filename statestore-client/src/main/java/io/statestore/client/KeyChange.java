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
 * @param version version of the change, greater than the previous change's version unless
 * the store was reset to older data or its clock was set back. The version of a deletion
 * detected by reading is unknown; this is then the smallest version after the last
 * version seen
 * @param resynchronized whether earlier changes of this key may be missing. This applies
 * to a value read from the store, and to a change that replaced others in a slow
 * listener's full queue
 * @param traceContext trace context of the write, empty if unknown
 */
public record KeyChange<T>(Key key, Operation operation, @Nullable T value, Version version, boolean resynchronized,
		TraceContext traceContext) {

	/**
	 * Creates a change.
	 * @throws IllegalArgumentException if a SET lacks a value, or a DELETE has a value
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
	 * @throws IllegalArgumentException if a SET lacks a value, or a DELETE has a value
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
	 * Returns all components except the value and the trace context, which logs must not
	 * contain.
	 */
	@Override
	public String toString() {
		return "KeyChange[" + this.operation + " key=" + this.key + ", version=" + this.version
				+ (this.resynchronized ? ", resynchronized]" : "]");
	}

	/** Kind of a change. */
	public enum Operation {

		/** The key was set. The new value may equal the previous value. */
		SET,

		/** The key was deleted, or it expired. */
		DELETE

	}

}
