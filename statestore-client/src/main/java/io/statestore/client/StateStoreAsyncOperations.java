package io.statestore.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.statestore.protocol.Bytes;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Non-blocking variant of {@link StateStoreOperations}. For an invalid argument, methods
 * throw {@link IllegalArgumentException}. All other failures complete the future
 * exceptionally, with a {@link StateStoreException} that is not wrapped.
 * <p>
 * Canceling a future ends the call, but the store may still execute a command already
 * sent. Continuations run on threads that also complete other calls: use the future's
 * {@code *Async} methods for slow work, and do not block in a continuation. Thread-safe.
 */
public interface StateStoreAsyncOperations {

	/**
	 * Reads an entry, see {@link StateStoreOperations#get(Key, Class)}.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the entry, empty if the key is absent
	 */
	<T> CompletableFuture<Optional<Entry<T>>> get(Key key, Class<T> type);

	/**
	 * Reads an entry, see
	 * {@link StateStoreOperations#get(Key, ParameterizedTypeReference)}.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the entry, empty if the key is absent
	 */
	<T> CompletableFuture<Optional<Entry<T>>> get(Key key, ParameterizedTypeReference<T> type);

	/**
	 * Reads an entry, see {@link StateStoreOperations#get(String, Class)}.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the entry, empty if the key is absent
	 */
	default <T> CompletableFuture<Optional<Entry<T>>> get(String key, Class<T> type) {
		return get(Key.of(key), type);
	}

	/**
	 * Reads an entry, see
	 * {@link StateStoreOperations#get(String, ParameterizedTypeReference)}.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the entry, empty if the key is absent
	 */
	default <T> CompletableFuture<Optional<Entry<T>>> get(String key, ParameterizedTypeReference<T> type) {
		return get(Key.of(key), type);
	}

	/**
	 * Reads a value without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the value, empty if the key is absent
	 */
	default <T> CompletableFuture<Optional<T>> getValue(Key key, Class<T> type) {
		return AsyncTemplate.map(get(key, type), (entry) -> entry.map(Entry::value));
	}

	/**
	 * Reads a value without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the value, empty if the key is absent
	 */
	default <T> CompletableFuture<Optional<T>> getValue(Key key, ParameterizedTypeReference<T> type) {
		return AsyncTemplate.map(get(key, type), (entry) -> entry.map(Entry::value));
	}

	/**
	 * Reads a value without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the value, empty if the key is absent
	 */
	default <T> CompletableFuture<Optional<T>> getValue(String key, Class<T> type) {
		return getValue(Key.of(key), type);
	}

	/**
	 * Reads a value without its version.
	 * @param key the key
	 * @param type the type of the value
	 * @param <T> the type of the value
	 * @return a future of the value, empty if the key is absent
	 */
	default <T> CompletableFuture<Optional<T>> getValue(String key, ParameterizedTypeReference<T> type) {
		return getValue(Key.of(key), type);
	}

	/**
	 * Reads the entries of several keys, see
	 * {@link StateStoreOperations#getAll(Iterable, Class)}.
	 * @param keys the keys, iterated on the calling thread; duplicates are read once. Do
	 * not pass a {@link KeyScan}, whose iteration blocks
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return a future of an unmodifiable map of the existing entries, in the order of
	 * the keys
	 */
	<T> CompletableFuture<Map<Key, Entry<T>>> getAll(Iterable<Key> keys, Class<T> type);

	/**
	 * Reads the entries of several keys, see
	 * {@link StateStoreOperations#getAll(Iterable, ParameterizedTypeReference)}.
	 * @param keys the keys, iterated on the calling thread; duplicates are read once. Do
	 * not pass a {@link KeyScan}, whose iteration blocks
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return a future of an unmodifiable map of the existing entries, in the order of
	 * the keys
	 */
	<T> CompletableFuture<Map<Key, Entry<T>>> getAll(Iterable<Key> keys, ParameterizedTypeReference<T> type);

	/**
	 * Reads the entries of several keys, see
	 * {@link StateStoreOperations#getAll(Collection, Class)}.
	 * @param keys the keys; duplicates are read once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return a future of an unmodifiable map of the existing entries, in the order of
	 * the keys
	 */
	default <T> CompletableFuture<Map<String, Entry<T>>> getAll(Collection<String> keys, Class<T> type) {
		TextKeys texts = new TextKeys(keys);
		return AsyncTemplate.map(getAll(texts.keys(), type), texts::select);
	}

	/**
	 * Reads the entries of several keys, see
	 * {@link StateStoreOperations#getAll(Collection, ParameterizedTypeReference)}.
	 * @param keys the keys; duplicates are read once
	 * @param type the type of the values
	 * @param <T> the type of the values
	 * @return a future of an unmodifiable map of the existing entries, in the order of
	 * the keys
	 */
	default <T> CompletableFuture<Map<String, Entry<T>>> getAll(Collection<String> keys,
			ParameterizedTypeReference<T> type) {
		TextKeys texts = new TextKeys(keys);
		return AsyncTemplate.map(getAll(texts.keys(), type), texts::select);
	}

	/**
	 * Returns whether a key exists, see {@link StateStoreOperations#exists(Key)}.
	 * @param key the key
	 * @return a future of {@code true} if the key exists
	 */
	default CompletableFuture<Boolean> exists(Key key) {
		return AsyncTemplate.map(get(key, Bytes.class), Optional::isPresent);
	}

	/**
	 * Returns whether a key exists, see {@link StateStoreOperations#exists(String)}.
	 * @param key the key
	 * @return a future of {@code true} if the key exists
	 */
	default CompletableFuture<Boolean> exists(String key) {
		return exists(Key.of(key));
	}

	/**
	 * Returns how long until a key expires, see
	 * {@link StateStoreOperations#timeToLive(Key)}.
	 * @param key the key
	 * @return a future of the remaining time, in whole milliseconds, empty if the key is
	 * absent or never expires
	 */
	CompletableFuture<Optional<Duration>> timeToLive(Key key);

	/**
	 * Stores a value, see {@link StateStoreOperations#set(Key, Object)}.
	 * @param key the key
	 * @param value the value
	 * @return a future of the result with the new version
	 */
	default CompletableFuture<SetResult> set(Key key, Object value) {
		return set(key, value, (spec) -> {
		});
	}

	/**
	 * Stores a value, see {@link StateStoreOperations#set(Key, Object, Consumer)}.
	 * @param key the key
	 * @param value the value
	 * @param spec configures the write
	 * @return a future of the result: whether the condition held, and the version now
	 * stored
	 */
	CompletableFuture<SetResult> set(Key key, Object value, Consumer<SetSpec> spec);

	/**
	 * Stores a value, see {@link StateStoreOperations#set(Key, Object)}.
	 * @param key the key
	 * @param value the value
	 * @return a future of the result with the new version
	 */
	default CompletableFuture<SetResult> set(String key, Object value) {
		return set(Key.of(key), value);
	}

	/**
	 * Stores a value, see {@link StateStoreOperations#set(String, Object, Consumer)}.
	 * @param key the key
	 * @param value the value
	 * @param spec configures the write
	 * @return a future of the result: whether the condition held, and the version now
	 * stored
	 */
	default CompletableFuture<SetResult> set(String key, Object value, Consumer<SetSpec> spec) {
		return set(Key.of(key), value, spec);
	}

	/**
	 * Deletes a key, see {@link StateStoreOperations#delete(Key)}.
	 * @param key the key
	 * @return a future of the result: whether the key existed, and the version of the
	 * deletion
	 */
	CompletableFuture<DeleteResult> delete(Key key);

	/**
	 * Deletes a key, see {@link StateStoreOperations#delete(Key)}.
	 * @param key the key
	 * @return a future of the result: whether the key existed, and the version of the
	 * deletion
	 */
	default CompletableFuture<DeleteResult> delete(String key) {
		return delete(Key.of(key));
	}

	/**
	 * Deletes a key if it has the expected value, see
	 * {@link StateStoreOperations#deleteIfEquals(Key, Object)}.
	 * @param key the key
	 * @param expected the expected value
	 * @return a future of the result: whether the key was deleted, absent, or had another
	 * value
	 */
	CompletableFuture<DeleteResult> deleteIfEquals(Key key, Object expected);

	/**
	 * Deletes a key if it has the expected value, see
	 * {@link StateStoreOperations#deleteIfEquals(Key, Object)}.
	 * @param key the key
	 * @param expected the expected value
	 * @return a future of the result: whether the key was deleted, absent, or had another
	 * value
	 */
	default CompletableFuture<DeleteResult> deleteIfEquals(String key, Object expected) {
		return deleteIfEquals(Key.of(key), expected);
	}

	/**
	 * Finds the first page of keys that match a pattern. To read the
	 * {@linkplain KeyPage#hasNext() next page}, call {@link #scan(String, Bytes)}.
	 * @param pattern the pattern, see {@link StateStoreOperations#scan(String)}
	 * @return a future of the first page
	 */
	CompletableFuture<KeyPage> scan(String pattern);

	/**
	 * Finds the next page of keys that match a pattern.
	 * @param pattern the pattern of the previous page
	 * @param token the token of the previous page
	 * @return a future of the next page
	 */
	CompletableFuture<KeyPage> scan(String pattern, Bytes token);

	/**
	 * Watches a key, see
	 * {@link StateStoreOperations#watch(Key, Class, Consumer, KeyChangeListener)}.
	 * Returns immediately; {@link KeyWatch#started()} completes when the store has
	 * acknowledged the watch. The client keeps trying until the watch is closed.
	 * @param key the key
	 * @param type the type of the value
	 * @param spec configures the watch
	 * @param listener called in order; may block
	 * @param <T> the type of the value
	 * @return the watch, to be closed by the caller
	 */
	<T> KeyWatch watch(Key key, Class<T> type, Consumer<WatchSpec> spec, KeyChangeListener<T> listener);

	/**
	 * Watches a key whose value has a generic type, like
	 * {@link #watch(Key, Class, Consumer, KeyChangeListener)}.
	 * @param key the key
	 * @param type the type of the value
	 * @param spec configures the watch
	 * @param listener called in order; may block
	 * @param <T> the type of the value
	 * @return the watch, to be closed by the caller
	 */
	<T> KeyWatch watch(Key key, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener);

	/**
	 * Watches all keys that match a pattern, see
	 * {@link StateStoreOperations#watchPattern(String, Class, Consumer, KeyChangeListener)}.
	 * Returns immediately, like {@link #watch(Key, Class, Consumer, KeyChangeListener)}.
	 * @param pattern a pattern as in {@link StateStoreOperations#scan(String)}
	 * @param type the type of the values
	 * @param spec configures the watch; applies to each key
	 * @param listener called in order for each key; may block
	 * @param <T> the type of the values
	 * @return the watch, to be closed by the caller
	 */
	<T> KeyWatch watchPattern(String pattern, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener);

	/**
	 * Returns a view that sends a fencing token with every write, see
	 * {@link StateStoreOperations#fencedBy(FencingToken)}.
	 * @param token the fencing token
	 * @return the view
	 */
	StateStoreAsyncOperations fencedBy(FencingToken token);

	/**
	 * Returns a view with the given timeout, see
	 * {@link StateStoreOperations#withTimeout(Duration)}.
	 * @param timeout 1 ms to 36,500 days
	 * @return the view
	 */
	StateStoreAsyncOperations withTimeout(Duration timeout);

}
