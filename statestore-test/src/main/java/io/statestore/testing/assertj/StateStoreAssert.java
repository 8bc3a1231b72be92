package io.statestore.testing.assertj;

import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.protocol.Bytes;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;

/** Assertions on the content of a store. */
public final class StateStoreAssert extends AbstractAssert<StateStoreAssert, StateStoreOperations> {

	StateStoreAssert(StateStoreOperations actual) {
		super(actual, StateStoreAssert.class);
	}

	/**
	 * Verifies that a key exists.
	 * @param key key in the store
	 * @return assertions on the key's entry
	 * @throws AssertionError if the key is absent
	 */
	public EntryAssert hasKey(String key) {
		isNotNull();
		Optional<Entry<Bytes>> entry = this.actual.get(key, Bytes.class);
		if (entry.isEmpty()) {
			throw failure("Expecting the store to have the key%n  '%s'%nbut it has only%n  %s", key, keys("*"));
		}
		return new EntryAssert(this.actual, entry.get());
	}

	/**
	 * Verifies that a key is absent.
	 * @param key key in the store
	 * @return these assertions
	 * @throws AssertionError if the key exists
	 */
	public StateStoreAssert doesNotHaveKey(String key) {
		isNotNull();
		this.actual.get(key, Bytes.class).ifPresent((entry) -> {
			throw failure("Expecting the store not to have the key%n  '%s'%nbut its value is%n  %s", key,
					EntryAssert.text(entry.value()));
		});
		return this;
	}

	/**
	 * Verifies that exactly these keys match a pattern, in any order.
	 * @param pattern key pattern, as for {@link StateStoreOperations#scan}
	 * @param keys the expected keys, possibly none
	 * @return these assertions
	 * @throws AssertionError if the matching keys differ from the expected keys
	 */
	public StateStoreAssert hasOnlyKeys(String pattern, String... keys) {
		isNotNull();
		Assertions.assertThat(keys(pattern)).as("keys that match '%s'", pattern).containsExactlyInAnyOrder(keys);
		return this;
	}

	private List<String> keys(String pattern) {
		return StreamSupport.stream(this.actual.scan(pattern).spliterator(), false)
			.map(Key::toString)
			.sorted()
			.toList();
	}

}
