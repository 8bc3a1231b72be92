package io.statestore.dafka.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.Completion;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.ListenerRegistrySupport;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Registry of all listeners. Starts and stops them with the application, and individually
 * by ID. Thread-safe.
 * <p>
 * Starting does not wait for towers, stores, or producers: listeners find them when they
 * appear. Starting throws a {@link io.statestore.dafka.DafkaException} if a listener's
 * port cannot be bound or its offsets cannot be read. It throws an
 * {@link IllegalStateException} if a call from before the latest stop is still running
 * after the stop timeout. Such a call may belong to an earlier listener with the same ID,
 * because both use the same offset store.
 * <p>
 * Stopping waits up to {@link DafkaListenerOptions#stopTimeout()} for calls in progress,
 * then logs a warning that names the listener. No call begins once a listener is stopped.
 * <p>
 * Listeners and their error handlers may use the registry and may close the application.
 * If a listener stops itself, the registry does not wait for that call: the listener
 * continues immediately and has stopped when the call returns.
 */
public final class DafkaListenerRegistry extends ListenerRegistrySupport<DafkaListener, DafkaListenerEndpoint> {

	private final List<Consumer<DafkaListenerEndpoint>> observers = new CopyOnWriteArrayList<>();

	/** Latest run for each ID. Its listener may have been removed since. */
	private final ConcurrentMap<String, DafkaListenerEndpoint.Run> runs = new ConcurrentHashMap<>();

	private final Supplier<DafkaConsumerFactory> consumers;

	private final DafkaListenerOptions options;

	/**
	 * Creates a registry.
	 * @param consumers supplies the consumer factory; called when the first listener
	 * starts
	 * @param options options shared by all listeners
	 */
	public DafkaListenerRegistry(Supplier<DafkaConsumerFactory> consumers, DafkaListenerOptions options) {
		super(new Settings("Dafka", options.autoStartup(), Duration.ZERO, options.stopTimeout(), System::nanoTime));
		this.consumers = consumers;
		this.options = options;
	}

	/**
	 * Calls an observer with each listener: now with those already registered, and later
	 * with each new listener. A listener that is being registered concurrently may be
	 * passed twice.
	 * @param observer called with each listener
	 */
	public void onRegistered(Consumer<DafkaListenerEndpoint> observer) {
		this.observers.add(observer);
		all().forEach(observer);
	}

	@Override
	protected Function<AnnotatedMethod<DafkaListener>, DafkaListenerEndpoint> endpointFactory(
			ConfigurableBeanFactory beanFactory, ListenerAttributes attributes) {
		return new ListenerFactory(beanFactory, attributes)::create;
	}

	@Override
	protected void registered(DafkaListenerEndpoint endpoint) {
		this.runs.values().removeIf((run) -> run.consumer().hasEnded());
		this.observers.forEach((observer) -> observer.accept(endpoint));
	}

	@Override
	protected Completion start(DafkaListenerEndpoint endpoint, BooleanSupplier toRun) {
		endpoint.start(this.consumers.get(), this.options, this.runs, toRun);
		return Completion.DONE;
	}

	@Override
	protected Completion stop(DafkaListenerEndpoint endpoint, BooleanSupplier toRun) {
		return endpoint.stop(toRun);
	}

}
