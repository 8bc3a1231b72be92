package io.statestore.client;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Reads and writes the entries of a state store, blocking until the store has answered.
 * {@link StateStoreTemplate} implements it.
 * <p>
 * Values are {@code String} (as UTF-8), {@code byte[]} or
 * {@link io.statestore.protocol.Bytes}, stored as they are, or any other type through the
 * {@link ValueConverter} of the template, most often as JSON. Keys are texts or
 * {@link Key}s. Every result carries the version the store gave it (protocol section 4).
 * <p>
 * Safe for use by several threads. Every method that calls the store throws
 * <ul>
 * <li>{@link IllegalArgumentException} for an argument that cannot be right,</li>
 * <li>{@link StateStoreNotSentException} if nothing was sent: no connection, too large,
 * or the calling thread was interrupted before,</li>
 * <li>{@link StateStoreOutcomeUnknownException} if it was sent and no reply came before
 * the timeout, the end of the connection, or an interrupt, which leaves the interrupt
 * flag of the thread set,</li>
 * <li>{@link StateStoreRefusedException} if the store refused,</li>
 * <li>{@link StateStoreConversionException} if a value could not be converted.</li>
 * </ul>
 * Nothing is sent twice by itself, reads excepted. Do not call these methods from a stage
 * of an asynchronous call: they would block the thread that replies arrive on.
 */
public interface StateStoreOperations {

	/**
	 * Read an entry.
	 * @param key the key
	 * @param type of the value
	 * @return the entry, empty if the key is absent
	 */
	<T> Optional<Entry<T>> get(Key key, Class<T> type);

	/** Like {@link #get(Key, Class)}, for generic types such as lists. */
	<T> Optional<Entry<T>> get(Key key, ParameterizedTypeReference<T> type);

	/** Like {@link #get(Key, Class)}. */
	default <T> Optional<Entry<T>> get(String key, Class<T> type) {
		return get(Key.of(key), type);
	}

	/** Like {@link #get(Key, Class)}, for generic types such as lists. */
	default <T> Optional<Entry<T>> get(String key, ParameterizedTypeReference<T> type) {
		return get(Key.of(key), type);
	}

	/**
	 * Store a value. It stays until it is changed.
	 * @param key the key
	 * @param value the value
	 * @return always applied, with the new version
	 */
	default SetResult set(Key key, Object value) {
		return set(key, value, (spec) -> {
		});
	}

	/**
	 * Store a value under a condition, with an expiry, fenced or persistent.
	 * @param key the key
	 * @param value the value
	 * @param spec says how: {@code spec -> spec.ifAbsent().expire(duration)}
	 * @return whether the condition held, and the version that is stored now
	 */
	SetResult set(Key key, Object value, Consumer<SetSpec> spec);

	/** Like {@link #set(Key, Object)}. */
	default SetResult set(String key, Object value) {
		return set(Key.of(key), value);
	}

	/** Like {@link #set(Key, Object, Consumer)}. */
	default SetResult set(String key, Object value, Consumer<SetSpec> spec) {
		return set(Key.of(key), value, spec);
	}

	/** Delete a key, whatever its value. */
	DeleteResult delete(Key key);

	/** Delete a key, whatever its value. */
	default DeleteResult delete(String key) {
		return delete(Key.of(key));
	}

	/**
	 * Delete a key if it has the expected value. The store compares bytes: a JSON value
	 * must be written in the same way, property by property, as it was stored.
	 */
	DeleteResult deleteIfEquals(Key key, Object expected);

	/** Like {@link #deleteIfEquals(Key, Object)}. */
	default DeleteResult deleteIfEquals(String key, Object expected) {
		return deleteIfEquals(Key.of(key), expected);
	}

	/**
	 * Find keys. Nothing is sent before the result is iterated over.
	 * @param pattern {@code *} any text, {@code ?} any character, {@code [abc]},
	 * {@code [a-z]}, {@code [!abc]} one character; over the whole key read as UTF-8
	 */
	KeyScan scan(String pattern);

	/**
	 * Observe a key: the listener is called with every change from now on, until the
	 * observation is closed, across every loss of the connection. What was missed
	 * meanwhile is delivered as one change marked as resynchronised. Returns when the
	 * store has acknowledged the observation.
	 * @param key at most 32,700 bytes, fewer if the client id is long
	 * @param type of the value
	 * @param spec says how: {@code spec -> spec.initial().ignoreOwn()}
	 * @param listener is called in order, on a thread of its own, which it may block
	 * @throws StateStoreNotSentException if it was not acknowledged in time, after which
	 * nothing is observed
	 * @throws IllegalStateException if the template was made without a
	 * {@link KeyObserver}
	 */
	<T> KeyObservation observe(Key key, Class<T> type, Consumer<ObserveSpec> spec, KeyChangeListener<T> listener);

	/**
	 * Like {@link #observe(Key, Class, Consumer, KeyChangeListener)}, for generic types.
	 */
	<T> KeyObservation observe(Key key, ParameterizedTypeReference<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener);

	/** Like {@link #observe(Key, Class, Consumer, KeyChangeListener)}. */
	default <T> KeyObservation observe(String key, Class<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener) {
		return observe(Key.of(key), type, spec, listener);
	}

	/** Every change from now on, whoever made it. */
	default <T> KeyObservation observe(Key key, Class<T> type, KeyChangeListener<T> listener) {
		return observe(key, type, (spec) -> {
		}, listener);
	}

	/** Every change from now on, whoever made it. */
	default <T> KeyObservation observe(String key, Class<T> type, KeyChangeListener<T> listener) {
		return observe(Key.of(key), type, listener);
	}

	/**
	 * The same store, with every write fenced by a token: the store refuses it with
	 * {@link io.statestore.protocol.ErrorReason#FENCING_TOKEN_LOWER_VERSION} if a newer
	 * token has written the key (protocol section 5).
	 */
	StateStoreOperations fencedBy(FencingToken token);

	/**
	 * The same store with another timeout for every call, and every page of a scan.
	 * @param timeout 1 ms to 36,500 days; parts of a millisecond are rounded up
	 */
	StateStoreOperations withTimeout(Duration timeout);

	/** The same store, token and timeout without blocking. */
	StateStoreAsyncOperations async();

}
