package io.statestore.testing.assertj;

import java.util.Objects;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Version;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on a key change.
 *
 * @param <T> type of the value
 */
public final class KeyChangeAssert<T> extends AbstractAssert<KeyChangeAssert<T>, KeyChange<T>> {

	KeyChangeAssert(KeyChange<T> actual) {
		super(actual, KeyChangeAssert.class);
	}

	/**
	 * Verifies the key.
	 * @param key the expected key
	 * @return these assertions
	 * @throws AssertionError if another key has changed
	 */
	public KeyChangeAssert<T> hasKey(String key) {
		isNotNull();
		if (!this.actual.key().toString().equals(key)) {
			throw failure("Expecting a change of the key '%s', but it is %s", key, this.actual);
		}
		return this;
	}

	/**
	 * Verifies that the key was set to a value.
	 * @param expected the expected value
	 * @return these assertions
	 * @throws AssertionError if the key was deleted or has another value
	 */
	public KeyChangeAssert<T> isSetTo(T expected) {
		isNotNull();
		if (!Objects.deepEquals(this.actual.value(), expected)) {
			throw failureWithActualExpected(this.actual.value(), expected,
					"Expecting the key '%s' to be set to%n  %s%nbut the change is %s with the value%n  %s",
					this.actual.key(), expected, this.actual, this.actual.value());
		}
		return this;
	}

	/**
	 * Verifies that the key was deleted or has expired.
	 * @return these assertions
	 * @throws AssertionError if the key was set
	 */
	public KeyChangeAssert<T> isDeletion() {
		isNotNull();
		if (this.actual.operation() != Operation.DELETE) {
			throw failure("Expecting a deletion, but it is %s with the value%n  %s", this.actual, this.actual.value());
		}
		return this;
	}

	/**
	 * Verifies that the change is marked as resynchronized: earlier changes may be
	 * missing.
	 * @return these assertions
	 * @throws AssertionError if the change is not resynchronized
	 */
	public KeyChangeAssert<T> isResynchronized() {
		isNotNull();
		if (!this.actual.resynchronized()) {
			throw failure("Expecting a resynchronized change, but it is %s", this.actual);
		}
		return this;
	}

	/**
	 * Verifies that no earlier change is missing.
	 * @return these assertions
	 * @throws AssertionError if the change is resynchronized
	 */
	public KeyChangeAssert<T> isNotResynchronized() {
		isNotNull();
		if (this.actual.resynchronized()) {
			throw failure("Expecting a change that is not resynchronized, but it is %s", this.actual);
		}
		return this;
	}

	/**
	 * Verifies that the change is newer than a given version.
	 * @param version version of an earlier change
	 * @return these assertions
	 * @throws AssertionError if the change's version is not greater
	 */
	public KeyChangeAssert<T> isNewerThan(Version version) {
		isNotNull();
		if (this.actual.version().compareTo(version) <= 0) {
			throw failure("Expecting a change after version%n  %s%nbut it is %s", version, this.actual);
		}
		return this;
	}

}
