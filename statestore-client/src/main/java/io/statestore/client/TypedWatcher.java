package io.statestore.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/** Watches keys, and converts the values for listeners. Immutable. */
record TypedWatcher(@Nullable KeyWatcher watcher, Values values, KeyPrefix prefix) {

	private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

	<T> KeyWatch watch(Key key, Type type, Consumer<WatchSpec> customizer, KeyChangeListener<T> listener) {
		Arguments.notNull("key", key);
		Arguments.notNull("type", type);
		Arguments.notNull("listener", listener);
		KeyWatcher watcher = requireWatcher(key);
		Key stored = this.prefix.stored(key);
		KeyWatch watch = watcher.watch(stored, settings(stored, customizer),
				(change) -> listener.onChange(this.<T>convert(change, type)));
		return this.prefix.isEmpty() ? watch : new PrefixedWatch(key, watch);
	}

	<T> KeyWatch watchPattern(String pattern, Type type, Consumer<WatchSpec> customizer,
			KeyChangeListener<T> listener) {
		Key key = Key.of(Arguments.notNull("pattern", pattern));
		Arguments.notNull("listener", listener);
		KeyWatcher watcher = requireWatcher(key);
		Key stored = this.prefix.stored(key);
		try {
			KeyWatch watch = watcher.watchPattern(stored.bytes(), settings(stored, customizer),
					(change) -> listener.onChange(this.<T>convert(change, type)));
			return this.prefix.isEmpty() ? watch : new PrefixedWatch(key, watch);
		}
		catch (ProtocolException ex) {
			throw new IllegalArgumentException(
					"'pattern' is " + key.quoted() + ", which is malformed or too long. Close each [, and use at most "
							+ GlobPattern.MAX_WATCHED_LENGTH + " bytes",
					ex);
		}
	}

	private KeyWatcher requireWatcher(Key key) {
		if (this.watcher == null) {
			throw new IllegalStateException("This StateStoreTemplate cannot watch key " + key.quoted()
					+ ": it has no KeyWatcher. Pass a KeyWatches to its constructor");
		}
		return this.watcher;
	}

	private Settings settings(Key stored, Consumer<WatchSpec> customizer) {
		WatchSpec spec = new WatchSpec();
		Arguments.notNull("spec", customizer).accept(spec);
		return localErrors(spec.toSettings(stored));
	}

	private <T> KeyChange<T> convert(KeyChange<Bytes> change, Type type) {
		Bytes bytes = change.value();
		T value = (bytes != null) ? this.values.read(change.key(), bytes, change.version(), type) : null;
		return local(change, value);
	}

	/** Returns a copy of a change with the given value and the key without the prefix. */
	private <T> KeyChange<T> local(KeyChange<?> change, @Nullable T value) {
		Key key = this.prefix.isEmpty() ? change.key()
				: Objects.requireNonNull(this.prefix.local(change.key().bytes()));
		return new KeyChange<>(key, change.operation(), value, change.version(), change.resynchronized(),
				change.traceContext());
	}

	/** Returns settings whose error handler receives the key without the prefix. */
	private Settings localErrors(Settings settings) {
		KeyChangeErrorHandler handler = settings.errorHandler();
		if (this.prefix.isEmpty() || handler == null) {
			return settings;
		}
		return settings
			.withErrorHandler((id, change, failure) -> handler.handleError(id, local(change, change.value()), failure));
	}

	/**
	 * Waits until a watch has started. If it does not start, closes it and throws.
	 * @param timeout maximum time to wait, {@code null} for the default
	 */
	static KeyWatch await(KeyWatch watch, @Nullable Duration timeout) {
		Duration wait = (timeout != null) ? timeout : DEFAULT_TIMEOUT;
		boolean started = false;
		try {
			started = watch.awaitStarted(wait);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw notStarted(watch, "the calling thread was interrupted", ex);
		}
		catch (StateStoreException ex) {
			throw Await.atCaller(ex);
		}
		finally {
			if (!started) {
				watch.close();
			}
		}
		if (!started) {
			throw notStarted(watch, "the store did not acknowledge it within " + wait
					+ ". Check the connection, and that a state store runs at this broker", null);
		}
		return watch;
	}

	private static StateStoreNotSentException notStarted(KeyWatch watch, String problem, @Nullable Exception cause) {
		return new StateStoreNotSentException("Key " + watch.key().quoted() + " is not watched: " + problem, cause);
	}

}
