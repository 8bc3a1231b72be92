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
 * Assertions on an entry. A value is read again, with the type that an assertion expects.
 */
public final class EntryAssert extends AbstractAssert<EntryAssert, Entry<Bytes>> {

	private final StateStoreOperations store;

	EntryAssert(StateStoreOperations store, Entry<Bytes> actual) {
		super(actual, EntryAssert.class);
		this.store = store;
	}

	/**
	 * Verifies the value.
	 * @param expected the expected value, whose class is the type to convert to
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
	 * Verifies the value with further assertions.
	 * @param type the type of the value
	 * @param requirements assertions on the value
	 * @param <T> the type of the value
	 * @return these assertions
	 * @throws AssertionError if the requirements fail or the key was deleted
	 */
	public <T> EntryAssert hasValueSatisfying(Class<T> type, Consumer<? super T> requirements) {
		requirements.accept(read(type));
		return this;
	}

	/**
	 * Verifies that the key was written after an earlier version.
	 * @param version the earlier version
	 * @return these assertions
	 * @throws AssertionError if the version of the entry is not greater
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

	/** Returns a printable text of a value. */
	static String text(Bytes value) {
		return value.isEmpty() ? "(empty)" : Key.of(value).toString();
	}

}
