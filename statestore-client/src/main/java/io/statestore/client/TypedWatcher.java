package io.statestore.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Watcher of keys that converts the values for listeners. Immutable. */
record TypedWatcher(@Nullable KeyWatcher watcher, Values values, KeyPrefix prefix) {

	private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

	TypedWatcher(@Nullable KeyWatcher watcher, Values values) {
		this(watcher, values, KeyPrefix.NONE);
	}

	TypedWatcher withPrefix(KeyPrefix prefix) {
		return new TypedWatcher(this.watcher, this.values, prefix);
	}

	/** Returns a copy with another watcher, or this object if there is no watcher. */
	TypedWatcher decorated(UnaryOperator<KeyWatcher> decorator) {
		return (this.watcher != null) ? new TypedWatcher(decorator.apply(this.watcher), this.values, this.prefix)
				: this;
	}

	<T> KeyWatch watch(Key key, Type type, Consumer<WatchSpec> customizer, KeyChangeListener<T> listener) {
		Arguments.notNull("key", key);
		Arguments.notNull("type", type);
		Arguments.notNull("listener", listener);
		WatchSpec spec = new WatchSpec();
		Arguments.notNull("spec", customizer).accept(spec);
		if (this.watcher == null) {
			throw new IllegalStateException("This StateStoreTemplate cannot watch key " + key.quoted()
					+ ": it has no KeyWatcher. Pass a KeyWatches to its constructor");
		}
		Key stored = this.prefix.stored(key);
		KeyWatch watch = this.watcher.watch(stored, localErrors(key, spec.toSettings(stored)),
				(change) -> listener.onChange(this.<T>convert(key, change, type)));
		return this.prefix.isEmpty() ? watch : new PrefixedWatch(key, watch);
	}

	private <T> KeyChange<T> convert(Key key, KeyChange<Bytes> change, Type type) {
		Bytes bytes = change.value();
		T value = (bytes != null) ? this.values.read(change.key(), bytes, change.version(), type) : null;
		return local(key, change, value);
	}

	private static <T> KeyChange<T> local(Key key, KeyChange<?> change, @Nullable T value) {
		return new KeyChange<>(key, change.operation(), value, change.version(), change.resynchronized(),
				change.traceContext());
	}

	/** Returns settings whose error handler receives the key without the prefix. */
	private Settings localErrors(Key key, Settings settings) {
		KeyChangeErrorHandler handler = settings.errorHandler();
		if (this.prefix.isEmpty() || handler == null) {
			return settings;
		}
		return settings.withErrorHandler(
				(id, change, failure) -> handler.handleError(id, local(key, change, change.value()), failure));
	}

	/**
	 * Waits until a watch has started. Closes it if it does not start.
	 * @param timeout maximum wait, or {@code null} for the default
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
