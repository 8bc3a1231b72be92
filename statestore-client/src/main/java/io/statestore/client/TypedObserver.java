package io.statestore.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.statestore.client.KeyObserver.Settings;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Observer of keys that converts the values for listeners. Immutable. */
final class TypedObserver {

	private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

	private final @Nullable KeyObserver observer;

	private final Values values;

	private final KeyPrefix prefix;

	TypedObserver(@Nullable KeyObserver observer, Values values) {
		this(observer, values, KeyPrefix.NONE);
	}

	private TypedObserver(@Nullable KeyObserver observer, Values values, KeyPrefix prefix) {
		this.observer = observer;
		this.values = values;
		this.prefix = prefix;
	}

	TypedObserver withPrefix(KeyPrefix prefix) {
		return new TypedObserver(this.observer, this.values, prefix);
	}

	/** Returns a copy with another observer, or this object if there is no observer. */
	TypedObserver decorated(UnaryOperator<KeyObserver> decorator) {
		return (this.observer != null) ? new TypedObserver(decorator.apply(this.observer), this.values, this.prefix)
				: this;
	}

	<T> KeyObservation observe(Key key, Type type, Consumer<ObserveSpec> customizer, KeyChangeListener<T> listener) {
		Arguments.notNull("key", key);
		Arguments.notNull("type", type);
		Arguments.notNull("listener", listener);
		ObserveSpec spec = new ObserveSpec();
		Arguments.notNull("spec", customizer).accept(spec);
		if (this.observer == null) {
			throw new IllegalStateException("This StateStoreTemplate cannot observe key " + key.quoted()
					+ ": it has no KeyObserver. Pass a KeyObservations to its constructor");
		}
		Key stored = this.prefix.stored(key);
		KeyObservation observation = this.observer.observe(stored, localErrors(key, spec.toSettings(stored)),
				(change) -> listener.onChange(this.<T>convert(key, change, type)));
		return this.prefix.isEmpty() ? observation : new PrefixedObservation(key, observation);
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
	 * Waits until an observation has started. Closes it if it does not start.
	 * @param timeout maximum wait, or {@code null} for the default
	 */
	static KeyObservation await(KeyObservation observation, @Nullable Duration timeout) {
		Duration wait = (timeout != null) ? timeout : DEFAULT_TIMEOUT;
		boolean started = false;
		try {
			started = observation.awaitStarted(wait);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw notStarted(observation, "the calling thread was interrupted", ex);
		}
		catch (StateStoreException ex) {
			throw Await.atCaller(ex);
		}
		finally {
			if (!started) {
				observation.close();
			}
		}
		if (!started) {
			throw notStarted(observation, "the store did not acknowledge it within " + wait
					+ ". Check the connection, and that a state store runs at this broker", null);
		}
		return observation;
	}

	private static StateStoreNotSentException notStarted(KeyObservation observation, String problem,
			@Nullable Exception cause) {
		return new StateStoreNotSentException("Key " + observation.key().quoted() + " is not observed: " + problem,
				cause);
	}

}
