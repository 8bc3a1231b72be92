package io.statestore.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.statestore.protocol.Bytes;
import org.springframework.core.ParameterizedTypeReference;

/**
 * {@link StateStoreOperations} that do not block. Arguments that cannot be right are
 * thrown at once as {@link IllegalArgumentException}; everything else completes the
 * future exceptionally, with the {@link StateStoreException} itself.
 * <p>
 * Cancelling a future gives up the wait for the reply; what was sent may still happen.
 * Dependent stages run on a thread that serves the replies of other calls too: use the
 * {@code *Async} methods of the future for anything slow, and never block in a stage.
 */
public interface StateStoreAsyncOperations {

	/** See {@link StateStoreOperations#get(Key, Class)}. */
	<T> CompletableFuture<Optional<Entry<T>>> get(Key key, Class<T> type);

	/** See {@link StateStoreOperations#get(Key, ParameterizedTypeReference)}. */
	<T> CompletableFuture<Optional<Entry<T>>> get(Key key, ParameterizedTypeReference<T> type);

	/** See {@link StateStoreOperations#get(Key, Class)}. */
	default <T> CompletableFuture<Optional<Entry<T>>> get(String key, Class<T> type) {
		return get(Key.of(key), type);
	}

	/** See {@link StateStoreOperations#get(Key, ParameterizedTypeReference)}. */
	default <T> CompletableFuture<Optional<Entry<T>>> get(String key, ParameterizedTypeReference<T> type) {
		return get(Key.of(key), type);
	}

	/** See {@link StateStoreOperations#set(Key, Object)}. */
	default CompletableFuture<SetResult> set(Key key, Object value) {
		return set(key, value, (spec) -> {
		});
	}

	/** See {@link StateStoreOperations#set(Key, Object, Consumer)}. */
	CompletableFuture<SetResult> set(Key key, Object value, Consumer<SetSpec> spec);

	/** See {@link StateStoreOperations#set(Key, Object)}. */
	default CompletableFuture<SetResult> set(String key, Object value) {
		return set(Key.of(key), value);
	}

	/** See {@link StateStoreOperations#set(Key, Object, Consumer)}. */
	default CompletableFuture<SetResult> set(String key, Object value, Consumer<SetSpec> spec) {
		return set(Key.of(key), value, spec);
	}

	/** See {@link StateStoreOperations#delete(Key)}. */
	CompletableFuture<DeleteResult> delete(Key key);

	/** See {@link StateStoreOperations#delete(Key)}. */
	default CompletableFuture<DeleteResult> delete(String key) {
		return delete(Key.of(key));
	}

	/** See {@link StateStoreOperations#deleteIfEquals(Key, Object)}. */
	CompletableFuture<DeleteResult> deleteIfEquals(Key key, Object expected);

	/** See {@link StateStoreOperations#deleteIfEquals(Key, Object)}. */
	default CompletableFuture<DeleteResult> deleteIfEquals(String key, Object expected) {
		return deleteIfEquals(Key.of(key), expected);
	}

	/**
	 * Find keys: the first page. Go on with {@link #scan(String, Bytes)} while it
	 * {@linkplain KeyPage#hasNext() has a next}; see
	 * {@link StateStoreOperations#scan(String)} for patterns.
	 */
	CompletableFuture<KeyPage> scan(String pattern);

	/**
	 * Find keys: the next page.
	 * @param pattern the pattern of the page before
	 * @param token the token of the page before
	 */
	CompletableFuture<KeyPage> scan(String pattern, Bytes token);

	/**
	 * Observe a key, see
	 * {@link StateStoreOperations#observe(Key, Class, Consumer, KeyChangeListener)}.
	 * Returns at once: {@link KeyObservation#started()} tells when the store has
	 * acknowledged it. Attempts go on until it is closed.
	 */
	<T> KeyObservation observe(Key key, Class<T> type, Consumer<ObserveSpec> spec, KeyChangeListener<T> listener);

	/** Like {@link #observe(Key, Class, Consumer, KeyChangeListener)}. */
	<T> KeyObservation observe(Key key, ParameterizedTypeReference<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener);

	/** See {@link StateStoreOperations#fencedBy(FencingToken)}. */
	StateStoreAsyncOperations fencedBy(FencingToken token);

	/** See {@link StateStoreOperations#withTimeout(Duration)}. */
	StateStoreAsyncOperations withTimeout(Duration timeout);

}
