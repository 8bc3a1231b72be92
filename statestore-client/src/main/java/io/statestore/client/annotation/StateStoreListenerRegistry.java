package io.statestore.client.annotation;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.client.StateStoreOperations;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.Completion;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.ListenerRegistrySupport;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Registry of all {@link StateStoreListener} methods. Starts and stops the listeners with
 * the application, and individually by id. Thread-safe.
 * <p>
 * Starting waits until the store has acknowledged every key, up to the start timeout.
 * Without a connection, it does not wait. If a key is not acknowledged in time, startup
 * continues, a warning names the listener, and the listener starts as soon as the store
 * answers.
 * <p>
 * Stopping waits up to 10 seconds for running calls, then logs a warning that names the
 * listener. After a listener was stopped, it is not called again. After a restart, calls
 * begin only once the last call from before the restart has ended; until then, the
 * listener does not watch its keys.
 * <p>
 * Listeners and their error handlers may use the registry and may close the application.
 * No method waits for the listener call that it is called from: a listener that stops
 * itself continues immediately, and has stopped when its call returns. The registry does
 * wait up to 10 seconds for calls of other listeners, even if those wait for the calling
 * listener.
 * <p>
 * If several threads start and stop listeners, the last call decides: a listener runs if
 * its last call and the registry's last call were both starts.
 */
public final class StateStoreListenerRegistry
		extends ListenerRegistrySupport<StateStoreListener, StateStoreListenerEndpoint> {

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final Supplier<StateStoreOperations> operations;

	/**
	 * Creates a registry whose listeners start with the application.
	 * @param operations returns the operations for listeners that do not have their own;
	 * called when such a listener starts
	 * @param startTimeout maximum time to wait for the store when listeners start, for
	 * example 3 s; zero to not wait
	 */
	public StateStoreListenerRegistry(Supplier<StateStoreOperations> operations, Duration startTimeout) {
		this(operations, startTimeout, true);
	}

	/**
	 * Creates a registry.
	 * @param operations returns the operations for listeners that do not have their own;
	 * called when such a listener starts
	 * @param startTimeout maximum time to wait for the store when listeners start, for
	 * example 3 s; zero to not wait
	 * @param autoStartup whether listeners start with the application; otherwise
	 * {@link #start()} starts them
	 */
	public StateStoreListenerRegistry(Supplier<StateStoreOperations> operations, Duration startTimeout,
			boolean autoStartup) {
		super(new Settings("state store", autoStartup, startTimeout, STOP_TIMEOUT, System::nanoTime));
		this.operations = operations;
	}

	@Override
	protected Function<AnnotatedMethod<StateStoreListener>, StateStoreListenerEndpoint> endpointFactory(
			ConfigurableBeanFactory beanFactory, ListenerAttributes attributes) {
		return new ListenerFactory(beanFactory, attributes)::create;
	}

	@Override
	protected Completion start(StateStoreListenerEndpoint endpoint, BooleanSupplier toRun) {
		return endpoint.start(this.operations, toRun);
	}

	@Override
	protected Completion stop(StateStoreListenerEndpoint endpoint, BooleanSupplier toRun) {
		return endpoint.stop(toRun);
	}

	@Override
	protected void startPending(StateStoreListenerEndpoint endpoint, String problem) {
		this.logger.warn("State store listener '{}' does not watch {} yet: {}. It starts as soon as the store answers",
				endpoint.id(), endpoint.keys(), endpoint.isStopping() ? "its last call is still running" : problem);
	}

}
