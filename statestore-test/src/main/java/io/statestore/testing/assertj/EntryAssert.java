package io.statestore.testing.assertj;

import java.util.Objects;
import java.util.function.Consumer;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on an entry. To convert a value, an assertion reads it again with the
 * expected type.
 */
public final class EntryAssert extends AbstractAssert<EntryAssert, Entry<Bytes>> {

	private final StateStoreOperations store;

	EntryAssert(StateStoreOperations store, Entry<Bytes> actual) {
		super(actual, EntryAssert.class);
		this.store = store;
	}

	/**
	 * Verifies the value.
	 * @param expected the expected value, whose class is the type to convert the entry's
	 * value to
	 * @return these assertions
	 * @throws AssertionError if the key has another value or was deleted
	 */
	public EntryAssert hasValue(Object expected) {
		Object value = read(expected.getClass());
		if (!Objects.deepEquals(value, expected)) {
			throw failureWithActualExpected(value, expected,
					"Expecting the key '%s' to have the value%n  %s%nbut it is%n  %s", this.actual.key(), expected,
					value);
		}
		return this;
	}

	/**
	 * Verifies the value with custom assertions.
	 * @param type type to convert the value to
	 * @param requirements assertions on the value
	 * @param <T> type of the value
	 * @return these assertions
	 * @throws AssertionError if the requirements fail or the key was deleted
	 */
	public <T> EntryAssert hasValueSatisfying(Class<T> type, Consumer<? super T> requirements) {
		requirements.accept(read(type));
		return this;
	}

	/**
	 * Verifies that the entry is newer than a given version.
	 * @param version version of an earlier write
	 * @return these assertions
	 * @throws AssertionError if the entry's version is not greater
	 */
	public EntryAssert isNewerThan(Version version) {
		if (this.actual.version().compareTo(version) <= 0) {
			throw failure("Expecting the key '%s' to have a version after%n  %s%nbut it is%n  %s", this.actual.key(),
					version, this.actual.version());
		}
		return this;
	}

	private <T> T read(Class<T> type) {
		return this.store.getValue(this.actual.key(), type)
			.orElseThrow(
					() -> failure("Expecting the key '%s' to have a value, but it was deleted", this.actual.key()));
	}

	/** Returns a printable string for a value. */
	static String text(Bytes value) {
		return value.isEmpty() ? "(empty)" : Key.of(value).toString();
	}

}
