package io.statestore.broker.engine;

import java.util.function.LongConsumer;

import io.statestore.protocol.Bytes;

/**
 * Selects the keys that a SCAN returns.
 * <p>
 * Internal: not part of the API.
 */
@FunctionalInterface
public interface KeySelection {

	/**
	 * Returns whether a SCAN returns a key.
	 * @param key a key that matches the pattern
	 * @param steps receives the number of steps that the decision took, see
	 * {@link io.statestore.protocol.GlobPattern.Matcher#steps()}. Steps count toward the
	 * page limit
	 * @return whether the key is selected
	 */
	boolean includes(Bytes key, LongConsumer steps);

}
