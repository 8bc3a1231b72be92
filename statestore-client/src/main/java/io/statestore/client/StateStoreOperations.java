package io.statestore.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import io.statestore.protocol.Bytes;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Blocking operations on the entries of a state store, implemented by
 * {@link StateStoreTemplate}.
 * <p>
 * A {@code String} (as UTF-8), {@code byte[]}, or {@link io.statestore.protocol.Bytes}
 * value is stored as it is. Any other type is converted by the {@link ValueConverter} of
 * the template, most often to JSON. Keys are texts or {@link Key}s. Every result carries
 * the version the store gave it (protocol section 4).
 * <p>
 * Safe for use by several threads. Every method that calls the store throws
 * <ul>
 * <li>{@link IllegalArgumentException} for an invalid argument,</li>
 * <li>{@link StateStoreInvalidRequestException} if the request is too large,</li>
 * <li>{@link StateStoreNotSentException} if nothing was sent: no connection, no room, or
 * the calling thread was interrupted before,</li>
 * <li>{@link StateStoreOutcomeUnknownException} if it was sent and no reply arrived
 * before the timeout, the end of the connection, or an interrupt. The thread keeps its
 * interrupt flag,</li>
 * <li>{@link StateStoreRefusedException} if the store refused,</li>
 * <li>{@link StateStoreConversionException} if a value could not be converted.</li>
 * </ul>
 * Writes are never sent twice; reads may be. {@link StateStoreNotSentException} and
 * {@link StateStoreOutcomeUnknownException} are {@linkplain TransientStateStoreException
 * transient}. Do not call these methods from a stage of an asynchronous call: they would
 * block the thread that delivers replies.
 */
public interface StateStoreOperations {

	/**
	 * Reads an entry.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the entry, empty if the key is absent
	 */
	<T> Optional<Entry<T>> get(Key key, Class<T> type);

	/**
	 * Reads an entry whose value has a generic type, such as a list.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the entry, empty if the key is absent
	 */
	<T> Optional<Entry<T>> get(Key key, ParameterizedTypeReference<T> type);

	/**
	 * Reads an entry.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the entry, empty if the key is absent
	 */
	default <T> Optional<Entry<T>> get(String key, Class<T> type) {
		return get(Key.of(key), type);
	}

	/**
	 * Reads an entry whose value has a generic type, such as a list.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the entry, empty if the key is absent
	 */
	default <T> Optional<Entry<T>> get(String key, ParameterizedTypeReference<T> type) {
		return get(Key.of(key), type);
	}

	/**
	 * Reads a value without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the value, empty if the key is absent
	 */
	default <T> Optional<T> getValue(Key key, Class<T> type) {
		return get(key, type).map(Entry::value);
	}

	/**
	 * Reads a value of a generic type without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the value, empty if the key is absent
	 */
	default <T> Optional<T> getValue(Key key, ParameterizedTypeReference<T> type) {
		return get(key, type).map(Entry::value);
	}

	/**
	 * Reads a value without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the value, empty if the key is absent
	 */
	default <T> Optional<T> getValue(String key, Class<T> type) {
		return getValue(Key.of(key), type);
	}

	/**
	 * Reads a value of a generic type without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return the value, empty if the key is absent
	 */
	default <T> Optional<T> getValue(String key, ParameterizedTypeReference<T> type) {
		return getValue(Key.of(key), type);
	}

	/**
	 * Reads the entries of several keys. The requests do not wait for each other, and the
	 * timeout covers all of them. All values are held in memory.
	 * @param keys the keys, such as a {@link #scan(String) scan}; duplicates are read
	 * once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return an unmodifiable map of the entries that exist, in the order of the keys
	 * @throws StateStoreException if any of the reads failed; there is no partial result
	 */
	<T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, Class<T> type);

	/**
	 * Reads the entries of several keys whose values have a generic type, like
	 * {@link #getAll(Iterable, Class)}.
	 * @param keys the keys, such as a {@link #scan(String) scan}; duplicates are read
	 * once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return an unmodifiable map of the entries that exist, in the order of the keys
	 * @throws StateStoreException if any of the reads failed; there is no partial result
	 */
	<T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, ParameterizedTypeReference<T> type);

	/**
	 * Reads the entries of several keys, like {@link #getAll(Iterable, Class)}.
	 * @param keys the keys; duplicates are read once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return an unmodifiable map of the entries that exist, in the order of the keys
	 * @throws StateStoreException if any of the reads failed; there is no partial result
	 */
	default <T> Map<String, Entry<T>> getAll(Collection<String> keys, Class<T> type) {
		TextKeys texts = new TextKeys(keys);
		return texts.select(getAll(texts.keys(), type));
	}

	/**
	 * Reads the entries of several keys whose values have a generic type, like
	 * {@link #getAll(Iterable, Class)}.
	 * @param keys the keys; duplicates are read once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return an unmodifiable map of the entries that exist, in the order of the keys
	 * @throws StateStoreException if any of the reads failed; there is no partial result
	 */
	default <T> Map<String, Entry<T>> getAll(Collection<String> keys, ParameterizedTypeReference<T> type) {
		TextKeys texts = new TextKeys(keys);
		return texts.select(getAll(texts.keys(), type));
	}

	/**
	 * Returns whether a key exists. The protocol has no command for this, so the whole
	 * value is transferred.
	 * @param key the key
	 * @return whether the key exists
	 */
	default boolean exists(Key key) {
		return get(key, Bytes.class).isPresent();
	}

	/**
	 * Returns whether a key exists. The protocol has no command for this, so the whole
	 * value is transferred.
	 * @param key the key
	 * @return whether the key exists
	 */
	default boolean exists(String key) {
		return exists(Key.of(key));
	}

	/**
	 * Stores a value, which stays until it is changed.
	 * @param key the key
	 * @param value the value
	 * @return always applied, with the new version
	 */
	default SetResult set(Key key, Object value) {
		return set(key, value, (spec) -> {
		});
	}

	/**
	 * Stores a value under a condition, with an expiry, fenced or persistent.
	 * @param key the key
	 * @param value the value
	 * @param spec configures the write: {@code spec -> spec.ifAbsent().expire(duration)}
	 * @return whether the condition held, and the version that is stored now
	 */
	SetResult set(Key key, Object value, Consumer<SetSpec> spec);

	/**
	 * Stores a value, which stays until it is changed.
	 * @param key the key
	 * @param value the value
	 * @return always applied, with the new version
	 */
	default SetResult set(String key, Object value) {
		return set(Key.of(key), value);
	}

	/**
	 * Stores a value under a condition, with an expiry, fenced or persistent.
	 * @param key the key
	 * @param value the value
	 * @param spec configures the write: {@code spec -> spec.ifAbsent().expire(duration)}
	 * @return whether the condition held, and the version that is stored now
	 */
	default SetResult set(String key, Object value, Consumer<SetSpec> spec) {
		return set(Key.of(key), value, spec);
	}

	/**
	 * Deletes a key, whatever its value.
	 * @param key the key
	 * @return whether the key existed, and the version of the deletion
	 */
	DeleteResult delete(Key key);

	/**
	 * Deletes a key, whatever its value.
	 * @param key the key
	 * @return whether the key existed, and the version of the deletion
	 */
	default DeleteResult delete(String key) {
		return delete(Key.of(key));
	}

	/**
	 * Deletes a key if it has the expected value. The store compares bytes: a JSON value
	 * must be written in the same way, property by property, as it was stored.
	 * @param key the key
	 * @param expected the expected value
	 * @return whether the key was deleted, absent, or had another value
	 */
	DeleteResult deleteIfEquals(Key key, Object expected);

	/**
	 * Deletes a key if it has the expected value, like
	 * {@link #deleteIfEquals(Key, Object)}.
	 * @param key the key
	 * @param expected the expected value
	 * @return whether the key was deleted, absent, or had another value
	 */
	default DeleteResult deleteIfEquals(String key, Object expected) {
		return deleteIfEquals(Key.of(key), expected);
	}

	/**
	 * Finds keys. Nothing is sent before the result is iterated over.
	 * @param pattern {@code *} matches any text, {@code ?} any character, {@code [abc]},
	 * {@code [a-z]}, {@code [!abc]} one character; applies to the whole key, read as
	 * UTF-8
	 * @return the keys that match, requested page by page
	 */
	KeyScan scan(String pattern);

	/**
	 * Observes a key: the listener is called for every change from now on, until the
	 * observation is closed, across every loss of the connection. Changes missed
	 * meanwhile are delivered as one change marked as resynchronized. Returns when the
	 * store has acknowledged the observation.
	 * @param key at most 32,700 bytes, fewer if the client id is long
	 * @param type the type of the value
	 * @param spec configures the observation: {@code spec -> spec.initial().ignoreOwn()}
	 * @param listener called in order, on a thread of its own, which it may block
	 * @param <T> the type of the value
	 * @return the observation, to be closed
	 * @throws StateStoreNotSentException if it was not acknowledged in time, after which
	 * nothing is observed
	 * @throws IllegalStateException if the template was created without a
	 * {@link KeyObserver}
	 */
	<T> KeyObservation observe(Key key, Class<T> type, Consumer<ObserveSpec> spec, KeyChangeListener<T> listener);

	/**
	 * Observes a key whose value has a generic type, like
	 * {@link #observe(Key, Class, Consumer, KeyChangeListener)}.
	 * @param key at most 32,700 bytes, fewer if the client id is long
	 * @param type the type of the value
	 * @param spec configures the observation
	 * @param listener called in order, on a thread of its own, which it may block
	 * @param <T> the type of the value
	 * @return the observation, to be closed
	 */
	<T> KeyObservation observe(Key key, ParameterizedTypeReference<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener);

	/**
	 * Observes a key, like {@link #observe(Key, Class, Consumer, KeyChangeListener)}.
	 * @param key the key, without the characters of a pattern
	 * @param type the type of the value
	 * @param spec configures the observation
	 * @param listener called in order, on a thread of its own, which it may block
	 * @param <T> the type of the value
	 * @return the observation, to be closed
	 * @throws IllegalArgumentException if the text contains {@code *}, {@code ?} or
	 * {@code [}: a pattern cannot be observed
	 */
	default <T> KeyObservation observe(String key, Class<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener) {
		return observe(TextKeys.withoutPattern(key), type, spec, listener);
	}

	/**
	 * Observes every change of a key from now on, including writes by this application.
	 * @param key at most 32,700 bytes, fewer if the client id is long
	 * @param type the type of the value
	 * @param listener called in order, on a thread of its own, which it may block
	 * @param <T> the type of the value
	 * @return the observation, to be closed
	 */
	default <T> KeyObservation observe(Key key, Class<T> type, KeyChangeListener<T> listener) {
		return observe(key, type, (spec) -> {
		}, listener);
	}

	/**
	 * Observes every change of a key from now on, including writes by this application.
	 * @param key the key, without the characters of a pattern
	 * @param type the type of the value
	 * @param listener called in order, on a thread of its own, which it may block
	 * @param <T> the type of the value
	 * @return the observation, to be closed
	 * @throws IllegalArgumentException if the text contains {@code *}, {@code ?} or
	 * {@code [}: a pattern cannot be observed
	 */
	default <T> KeyObservation observe(String key, Class<T> type, KeyChangeListener<T> listener) {
		return observe(TextKeys.withoutPattern(key), type, listener);
	}

	/**
	 * Returns a view of the same store that fences every write with a token. The store
	 * refuses a write with
	 * {@link io.statestore.protocol.ErrorReason#FENCING_TOKEN_LOWER_VERSION} if a newer
	 * token has written the key (protocol section 5).
	 * @param token the fencing token
	 * @return the view
	 */
	StateStoreOperations fencedBy(FencingToken token);

	/**
	 * Returns a view of the same store with another timeout of every call and of every
	 * page of a scan.
	 * @param timeout 1 ms to 36,500 days; parts of a millisecond are rounded up
	 * @return the view
	 */
	StateStoreOperations withTimeout(Duration timeout);

	/**
	 * Returns the non-blocking operations with the same store, token and timeout.
	 * @return the non-blocking operations
	 */
	StateStoreAsyncOperations async();

}
