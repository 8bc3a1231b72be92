package io.statestore.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Blocking operations on the entries of a state store, implemented by
 * {@link StateStoreTemplate}.
 * <p>
 * {@code String} (as UTF-8), {@code byte[]}, and {@link Bytes} values are stored
 * unchanged. Values of other types are converted by the template's
 * {@link ValueConverter}, usually to JSON. Keys are strings or {@link Key}s. Every result
 * includes the version assigned by the store (protocol section 4).
 * <p>
 * Thread-safe. Every method that calls the store throws
 * <ul>
 * <li>{@link IllegalArgumentException} for an invalid argument,</li>
 * <li>{@link StateStoreInvalidRequestException} if the request is too large,</li>
 * <li>{@link StateStoreNotSentException} if the request was not sent, because there was
 * no connection, too many calls were pending, or the calling thread was interrupted,</li>
 * <li>{@link StateStoreOutcomeUnknownException} if the request was sent, but no reply
 * arrived before a timeout, a connection loss, or an interrupt (the thread's interrupt
 * flag stays set),</li>
 * <li>{@link StateStoreRefusedException} if the store refused the command,</li>
 * <li>{@link StateStoreConversionException} if a value could not be converted.</li>
 * </ul>
 * Writes are never sent twice; reads may be. {@link StateStoreNotSentException} and
 * {@link StateStoreOutcomeUnknownException} are {@linkplain TransientStateStoreException
 * transient}. Do not call these methods in an asynchronous call's continuation: they
 * would block a thread that completes other calls.
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
	 * Reads the entries of several keys in parallel. The timeout applies to all reads
	 * together. All values are held in memory.
	 * @param keys the keys, for example a {@link #scan(String) scan}; duplicates are read
	 * once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return an unmodifiable map of the existing entries, in the order of the keys
	 * @throws StateStoreException if any read failed; there are no partial results
	 */
	<T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, Class<T> type);

	/**
	 * Reads the entries of several keys whose values have a generic type, like
	 * {@link #getAll(Iterable, Class)}.
	 * @param keys the keys, for example a {@link #scan(String) scan}; duplicates are read
	 * once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return an unmodifiable map of the existing entries, in the order of the keys
	 * @throws StateStoreException if any read failed; there are no partial results
	 */
	<T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, ParameterizedTypeReference<T> type);

	/**
	 * Reads the entries of several keys, like {@link #getAll(Iterable, Class)}.
	 * @param keys the keys; duplicates are read once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return an unmodifiable map of the existing entries, in the order of the keys
	 * @throws StateStoreException if any read failed; there are no partial results
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
	 * @return an unmodifiable map of the existing entries, in the order of the keys
	 * @throws StateStoreException if any read failed; there are no partial results
	 */
	default <T> Map<String, Entry<T>> getAll(Collection<String> keys, ParameterizedTypeReference<T> type) {
		TextKeys texts = new TextKeys(keys);
		return texts.select(getAll(texts.keys(), type));
	}

	/**
	 * Returns whether a key exists. Transfers the entire value, because the protocol does
	 * not have a command for this.
	 * @param key the key
	 * @return whether the key exists
	 */
	default boolean exists(Key key) {
		return get(key, Bytes.class).isPresent();
	}

	/**
	 * Returns whether a key exists. Transfers the entire value, because the protocol does
	 * not have a command for this.
	 * @param key the key
	 * @return whether the key exists
	 */
	default boolean exists(String key) {
		return exists(Key.of(key));
	}

	/**
	 * Returns how long until a key expires. This is a protocol extension (section 2); a
	 * server that does not support it refuses the command as unknown.
	 * @param key the key
	 * @return the remaining time, in whole milliseconds, empty if the key is absent or
	 * never expires
	 */
	Optional<Duration> timeToLive(Key key);

	/**
	 * Returns how long until a key expires, like {@link #timeToLive(Key)}.
	 * @param key the key
	 * @return the remaining time, in whole milliseconds, empty if the key is absent or
	 * never expires
	 */
	default Optional<Duration> timeToLive(String key) {
		return timeToLive(Key.of(key));
	}

	/**
	 * Stores a value without a condition or an expiry.
	 * @param key the key
	 * @param value the value
	 * @return the result with the new version; always applied
	 */
	default SetResult set(Key key, Object value) {
		return set(key, value, (spec) -> {
		});
	}

	/**
	 * Stores a value, optionally with a condition, an expiry, or a fencing token.
	 * @param key the key
	 * @param value the value
	 * @param spec configures the write: {@code spec -> spec.ifAbsent().expire(duration)}
	 * @return the result: whether the condition held, and the version now stored
	 */
	SetResult set(Key key, Object value, Consumer<SetSpec> spec);

	/**
	 * Stores a value without a condition or an expiry.
	 * @param key the key
	 * @param value the value
	 * @return the result with the new version; always applied
	 */
	default SetResult set(String key, Object value) {
		return set(Key.of(key), value);
	}

	/**
	 * Stores a value, optionally with a condition, an expiry, or a fencing token.
	 * @param key the key
	 * @param value the value
	 * @param spec configures the write: {@code spec -> spec.ifAbsent().expire(duration)}
	 * @return the result: whether the condition held, and the version now stored
	 */
	default SetResult set(String key, Object value, Consumer<SetSpec> spec) {
		return set(Key.of(key), value, spec);
	}

	/**
	 * Stores a value if the key has the expected version (compare and set). The key keeps
	 * its expiry and gets this command's persistence and fencing token. This is a
	 * protocol extension (section 2); a server that does not support it refuses the
	 * command as unknown.
	 * @param key the key
	 * @param value the value
	 * @param expected the version of the entry that was read
	 * @return the new version, empty if the key is absent or has another version
	 */
	Optional<Version> replace(Key key, Object value, Version expected);

	/**
	 * Stores a value if the key has the expected version, like
	 * {@link #replace(Key, Object, Version)}.
	 * @param key the key
	 * @param value the value
	 * @param expected the version of the entry that was read
	 * @return the new version, empty if the key is absent or has another version
	 */
	default Optional<Version> replace(String key, Object value, Version expected) {
		return replace(Key.of(key), value, expected);
	}

	/**
	 * Reads a value, computes a new value, and stores it. If another client changes the
	 * key in between, the update starts again, until it succeeds or the thread is
	 * interrupted. A lock is not needed, but the server must support {@link #replace}.
	 * For other servers, see {@link io.statestore.client.lock.HeldLock#update}.
	 * <p>
	 * The key keeps its expiry. This template's timeout applies to each request
	 * separately.
	 * @param key the key
	 * @param type the type of the value
	 * @param change computes the new value from the stored value, empty if absent. An
	 * empty result deletes the key. May be called more than once
	 * @param <T> the type of the value
	 * @return the newly stored value, empty if the key is now absent
	 */
	<T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change);

	/**
	 * Updates a key like {@link #update(Key, Class, Function)}.
	 * @param key the key
	 * @param type the type of the value
	 * @param change computes the new value from the stored value, empty if absent. An
	 * empty result deletes the key. May be called more than once
	 * @param <T> the type of the value
	 * @return the newly stored value, empty if the key is now absent
	 */
	default <T> Optional<T> update(String key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return update(Key.of(key), type, change);
	}

	/**
	 * Adds a number to a counter, which is stored as decimal digits. If the key is
	 * absent, the counter starts at 0. The store adds, so this is one request, and
	 * concurrent increments are neither lost nor repeated. The key keeps its expiry; a
	 * new key has the default expiry, if there is one. After a timeout, the outcome is
	 * unknown. The user needs permission to read and to write the key. Other servers
	 * refuse this with the reason
	 * {@link io.statestore.protocol.ErrorReason#UNKNOWN_COMMAND}. Protocol section 2,
	 * INCRBY.
	 * @param key the key
	 * @param delta the number to add, possibly negative
	 * @return the new value
	 * @throws StateStoreRefusedException with the reason
	 * {@link io.statestore.protocol.ErrorReason#NOT_A_NUMBER} if the value is not a
	 * 64-bit integer, or if the sum does not fit in 64 bits; the counter is unchanged
	 */
	long increment(Key key, long delta);

	/**
	 * Adds a number to a counter, like {@link #increment(Key, long)}.
	 * @param key the key
	 * @param delta the number to add, possibly negative
	 * @return the new value
	 */
	default long increment(String key, long delta) {
		return increment(Key.of(key), delta);
	}

	/**
	 * Runs writes after the surrounding transaction commits, on the transaction's thread.
	 * The writes are dropped if the transaction does not commit, its outcome is unknown,
	 * or it is rolled back to an earlier savepoint. The writes of several calls run in
	 * call order. Without a transaction, they run immediately. Reactive transactions are
	 * ignored.
	 * <p>
	 * A crash between the commit and a write loses the write. A write that fails after
	 * the commit does not reach the caller: Spring logs the exception as an error. The
	 * transaction holds its database connection until the writes have ended, so choose a
	 * short {@linkplain #withTimeout timeout}. Operations fenced by a lock fail if the
	 * transaction ends after the lock is released.
	 * @param writes runs the writes with these operations
	 */
	default void afterCommit(Consumer<StateStoreOperations> writes) {
		Arguments.notNull("writes", writes);
		AfterCommit.run(() -> writes.accept(this));
	}

	/**
	 * Deletes a key, regardless of its value.
	 * @param key the key
	 * @return the result: whether the key existed, and the version of the deletion
	 */
	DeleteResult delete(Key key);

	/**
	 * Deletes a key, regardless of its value.
	 * @param key the key
	 * @return the result: whether the key existed, and the version of the deletion
	 */
	default DeleteResult delete(String key) {
		return delete(Key.of(key));
	}

	/**
	 * Deletes a key if it has the expected value. The store compares bytes, so a JSON
	 * value must have the same properties in the same order.
	 * @param key the key
	 * @param expected the expected value
	 * @return the result: whether the key was deleted, absent, or had another value
	 */
	DeleteResult deleteIfEquals(Key key, Object expected);

	/**
	 * Deletes a key if it has the expected value, like
	 * {@link #deleteIfEquals(Key, Object)}.
	 * @param key the key
	 * @param expected the expected value
	 * @return the result: whether the key was deleted, absent, or had another value
	 */
	default DeleteResult deleteIfEquals(String key, Object expected) {
		return deleteIfEquals(Key.of(key), expected);
	}

	/**
	 * Finds the keys that match a pattern. Requests are sent only while the result is
	 * iterated over.
	 * @param pattern the pattern, which must match the entire key, decoded as UTF-8.
	 * {@code *} matches any string, {@code ?} any character, and {@code [abc]},
	 * {@code [a-z]}, and {@code [!abc]} match one character
	 * @return the matching keys, requested page by page
	 */
	KeyScan scan(String pattern);

	/**
	 * Watches a key. From now on, the listener is called for every change until the watch
	 * is closed. After a reconnect, missed changes are delivered as a single change
	 * marked as resynchronized. This method returns once the store has acknowledged the
	 * watch.
	 * @param key the key, at most 32,700 bytes, fewer if the client id is long
	 * @param type the type of the value
	 * @param spec configures the watch: {@code spec -> spec.initial().noLocal()}
	 * @param listener called in order; may block
	 * @param <T> the type of the value
	 * @return the watch, to be closed by the caller
	 * @throws StateStoreNotSentException if the store did not acknowledge the watch
	 * within the timeout; the key is then not watched
	 * @throws IllegalStateException if the template was created without a
	 * {@link KeyWatcher}
	 */
	<T> KeyWatch watch(Key key, Class<T> type, Consumer<WatchSpec> spec, KeyChangeListener<T> listener);

	/**
	 * Watches a key whose value has a generic type, like
	 * {@link #watch(Key, Class, Consumer, KeyChangeListener)}.
	 * @param key the key, at most 32,700 bytes, fewer if the client id is long
	 * @param type the type of the value
	 * @param spec configures the watch
	 * @param listener called in order; may block
	 * @param <T> the type of the value
	 * @return the watch, to be closed by the caller
	 */
	<T> KeyWatch watch(Key key, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener);

	/**
	 * Watches a key, like {@link #watch(Key, Class, Consumer, KeyChangeListener)}.
	 * @param key the key, or a pattern with {@code *}, {@code ?}, or {@code [}, see
	 * {@link #watchPattern}
	 * @param type the type of the value
	 * @param spec configures the watch
	 * @param listener called in order; may block
	 * @param <T> the type of the value
	 * @return the watch, to be closed by the caller
	 */
	default <T> KeyWatch watch(String key, Class<T> type, Consumer<WatchSpec> spec, KeyChangeListener<T> listener) {
		return TextKeys.isPattern(key) ? watchPattern(key, type, spec, listener)
				: watch(Key.of(key), type, spec, listener);
	}

	/**
	 * Watches every change of a key from now on, including local writes.
	 * @param key the key, at most 32,700 bytes, fewer if the client id is long
	 * @param type the type of the value
	 * @param listener called in order; may block
	 * @param <T> the type of the value
	 * @return the watch, to be closed by the caller
	 */
	default <T> KeyWatch watch(Key key, Class<T> type, KeyChangeListener<T> listener) {
		return watch(key, type, (spec) -> {
		}, listener);
	}

	/**
	 * Watches every change of a key from now on, including local writes.
	 * @param key the key, or a pattern with {@code *}, {@code ?}, or {@code [}, see
	 * {@link #watchPattern}
	 * @param type the type of the value
	 * @param listener called in order; may block
	 * @param <T> the type of the value
	 * @return the watch, to be closed by the caller
	 */
	default <T> KeyWatch watch(String key, Class<T> type, KeyChangeListener<T> listener) {
		return watch(key, type, (spec) -> {
		}, listener);
	}

	/**
	 * Watches all keys that match a pattern, including keys that are set later. After a
	 * reconnect, each matching key that was changed or deleted is delivered once, marked
	 * as resynchronized; to detect these, the client remembers each matching key's
	 * version. This is a protocol extension (section 6); a server that does not support
	 * it refuses the watch.
	 * @param pattern a pattern as in {@link #scan(String)}
	 * @param type the type of the values
	 * @param spec configures the watch; applies to each key
	 * @param listener called in order for each key, possibly for several keys at the same
	 * time; it may block
	 * @param <T> the type of the values
	 * @return the watch, to be closed by the caller. Its {@link KeyWatch#key() key} is
	 * the pattern
	 * @throws IllegalArgumentException if the pattern is malformed or, with the key
	 * prefix, longer than 256 bytes
	 */
	default <T> KeyWatch watchPattern(String pattern, Class<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener) {
		return watchPattern(pattern, ParameterizedTypeReference.forType(type), spec, listener);
	}

	/**
	 * Watches all keys that match a pattern, for values of a generic type, like
	 * {@link #watchPattern(String, Class, Consumer, KeyChangeListener)}.
	 * @param pattern a pattern as in {@link #scan(String)}
	 * @param type the type of the values
	 * @param spec configures the watch; applies to each key
	 * @param listener called in order for each key; it may block
	 * @param <T> the type of the values
	 * @return the watch, to be closed by the caller
	 */
	<T> KeyWatch watchPattern(String pattern, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener);

	/**
	 * Returns a view of the same store that sends a fencing token with every write. If a
	 * key was already written with a newer token, the store refuses the write (protocol
	 * section 5), which throws {@link StaleFencingTokenException}.
	 * @param token the fencing token
	 * @return the view
	 */
	StateStoreOperations fencedBy(FencingToken token);

	/**
	 * Returns a view of the same store with the given timeout, which applies to every
	 * call and to every page of a scan.
	 * @param timeout 1 ms to 36,500 days; rounded up to milliseconds
	 * @return the view
	 * @throws IllegalArgumentException if the timeout is out of range
	 */
	StateStoreOperations withTimeout(Duration timeout);

	/**
	 * Returns a view that permits writes without a fencing token while the calling thread
	 * holds a lock. Use it for keys that the lock does not protect. See
	 * {@link io.statestore.client.lock.LockOptions#unfencedWrites()}.
	 * @return the view without the check; by default, this object
	 */
	default StateStoreOperations withoutLockCheck() {
		return this;
	}

	/**
	 * Returns non-blocking operations with the same fencing token and timeout.
	 * @return the non-blocking operations
	 */
	StateStoreAsyncOperations async();

}
