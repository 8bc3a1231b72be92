package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.StringUtils;

/**
 * Internal: base class for registries that start and stop listeners with the application,
 * and individually by id. Not part of the API. Thread-safe.
 * <p>
 * No method waits for the listener call that it is called from: a listener that stops
 * itself continues immediately, and has stopped when its call returns. If several threads
 * start and stop listeners, the last call decides.
 *
 * @param <A> the listener annotation type
 * @param <E> the listener type
 */
public abstract class ListenerRegistrySupport<A extends Annotation, E extends ListenerEndpointSupport>
		implements SmartLifecycle {

	/**
	 * Lifecycle phase. Listeners start before Spring Boot's web server accepts requests,
	 * and stop after the last request has completed.
	 */
	public static final int PHASE = Integer.MAX_VALUE - 3000;

	/** Logger named after the subclass. */
	protected final Logger logger = LoggerFactory.getLogger(getClass());

	private final Map<String, E> endpoints = new ConcurrentHashMap<>();

	private final Settings settings;

	private volatile boolean running;

	/**
	 * Creates a registry without listeners.
	 * @param settings timeouts and other properties of the registry
	 */
	protected ListenerRegistrySupport(Settings settings) {
		this.settings = settings;
	}

	/**
	 * Adds a listener, and starts it if the registry is running and the listener starts
	 * automatically. Removes it again if it fails to start.
	 * @param endpoint the listener
	 * @throws AnnotatedMethodException if another listener has the same id
	 */
	public final void register(E endpoint) {
		E other = this.endpoints.putIfAbsent(endpoint.id(), endpoint);
		if (other != null) {
			throw new AnnotatedMethodException("Two " + this.settings.kind() + " listeners have the id '"
					+ endpoint.id() + "': " + other + " and " + endpoint + ". Give one of them another 'id'", null);
		}
		try {
			registered(endpoint);
			if (isToRun(endpoint)) {
				startAll(List.of(endpoint));
			}
		}
		catch (RuntimeException ex) {
			if (this.endpoints.remove(endpoint.id(), endpoint)) {
				stopRemoved(endpoint);
			}
			throw ex;
		}
	}

	/**
	 * Stops and removes a listener. Its id can then be used again. Does nothing if there
	 * is no listener with this id.
	 * @param id id of the listener
	 */
	public final void unregister(String id) {
		E endpoint = this.endpoints.remove(id);
		if (endpoint != null) {
			stopRemoved(endpoint);
		}
	}

	private void stopRemoved(E endpoint) {
		endpoint.setWanted(false);
		stopAll(List.of(endpoint));
		unregistered(endpoint);
	}

	/**
	 * Returns the ids of all listeners.
	 * @return a snapshot of the ids
	 */
	public final Set<String> ids() {
		return Set.copyOf(this.endpoints.keySet());
	}

	/**
	 * Returns all listeners.
	 * @return a snapshot of the listeners
	 */
	public final Collection<E> all() {
		return List.copyOf(this.endpoints.values());
	}

	/**
	 * Returns the listener with an id.
	 * @param id id of the listener
	 * @return the listener
	 * @throws IllegalArgumentException if there is no listener with this id
	 */
	public final E get(String id) {
		E endpoint = this.endpoints.get(id);
		if (endpoint == null) {
			throw new IllegalArgumentException(
					"There is no " + this.settings.kind() + " listener with the id '" + id + "'. There are: " + ids());
		}
		return endpoint;
	}

	/**
	 * Starts a listener if the registry is running. From now on, the listener also starts
	 * with the registry.
	 * @param id id of the listener
	 * @throws IllegalArgumentException if there is no listener with this id
	 */
	public final void start(String id) {
		E endpoint = get(id);
		endpoint.setWanted(true);
		if (isToRun(endpoint)) {
			startAll(List.of(endpoint));
		}
	}

	/**
	 * Stops a listener until it is started by its id, and waits for its current call, at
	 * most for the stop timeout. If called by the listener itself, this method does not
	 * wait, and the listener is not called again.
	 * @param id id of the listener
	 * @throws IllegalArgumentException if there is no listener with this id
	 */
	public final void stop(String id) {
		E endpoint = get(id);
		endpoint.setWanted(false);
		stopAll(List.of(endpoint));
	}

	@Override
	public final void start() {
		this.running = true;
		try {
			startAll(this.endpoints.values().stream().filter(this::isToRun).toList());
		}
		catch (RuntimeException ex) {
			stop();
			throw ex;
		}
	}

	@Override
	public final void stop() {
		this.running = false;
		stopAll(all());
	}

	@Override
	public final boolean isRunning() {
		return this.running;
	}

	@Override
	public final boolean isAutoStartup() {
		return this.settings.autoStartup();
	}

	@Override
	public final int getPhase() {
		return PHASE;
	}

	/**
	 * Returns a factory for listeners. Called once all singletons are created.
	 * @param beanFactory provides beans that listeners need
	 * @param attributes resolves annotation attributes
	 * @return a function that creates and checks a method's listener
	 */
	protected abstract Function<AnnotatedMethod<A>, E> endpointFactory(ConfigurableBeanFactory beanFactory,
			ListenerAttributes attributes);

	/**
	 * Called after a listener was added.
	 * @param endpoint the listener
	 */
	protected void registered(E endpoint) {
	}

	/**
	 * Called after a listener was removed and stopped. Its last call may still be
	 * running.
	 * @param endpoint the listener
	 */
	protected void unregistered(E endpoint) {
	}

	/**
	 * Returns whether a listener is registered.
	 * @param endpoint the listener
	 * @return whether it was added and not removed
	 */
	protected final boolean isRegistered(E endpoint) {
		return this.endpoints.get(endpoint.id()) == endpoint;
	}

	/**
	 * Starts a listener if {@code toRun} is true and it is not running.
	 * @param endpoint the listener
	 * @param toRun whether the listener should run; must be read in one step with the
	 * start
	 * @return waits for the end of the start
	 */
	protected abstract Completion start(E endpoint, BooleanSupplier toRun);

	/**
	 * Stops a listener unless {@code toRun} is true.
	 * @param endpoint the listener
	 * @param toRun whether the listener should run; must be read in one step with the
	 * stop
	 * @return waits for the end of the stop, including the current call
	 */
	protected abstract Completion stop(E endpoint, BooleanSupplier toRun);

	/**
	 * Called if a listener's start has not completed within the start timeout.
	 * @param endpoint the listener
	 * @param problem why the start has not completed, for log messages
	 */
	protected void startPending(E endpoint, String problem) {
	}

	private boolean isToRun(E endpoint) {
		return this.running && endpoint.isWanted() && isRegistered(endpoint);
	}

	private void startAll(Collection<E> endpoints) {
		await(endpoints, (endpoint) -> start(endpoint, () -> isToRun(endpoint)), this.settings.startTimeout(),
				this::startPending);
	}

	private void stopAll(Collection<E> endpoints) {
		await(endpoints, (endpoint) -> stop(endpoint, () -> isToRun(endpoint)), this.settings.stopTimeout(),
				(endpoint, problem) -> this.logger.warn(
						"{} listener '{}' is still running after it was stopped: its last call has not ended",
						StringUtils.capitalize(this.settings.kind()), endpoint.id()));
	}

	/**
	 * Starts or stops the given listeners, then waits for all of them with a common
	 * deadline.
	 */
	private void await(Collection<E> endpoints, Function<E, Completion> action, Duration timeout,
			BiConsumer<E, String> onProblem) {
		Map<E, Completion> completions = new LinkedHashMap<>();
		endpoints.forEach((endpoint) -> completions.put(endpoint, action.apply(endpoint)));
		LongSupplier clock = this.settings.clock();
		long end = clock.getAsLong() + timeout.toNanos();
		completions.forEach((endpoint, completion) -> {
			String problem = endpoint.isCalledBySelf() ? null
					: await(completion, () -> Duration.ofNanos(Math.max(0, end - clock.getAsLong())));
			if (problem != null) {
				onProblem.accept(endpoint, problem);
			}
		});
	}

	/**
	 * Returns why a start or stop has not completed, or {@code null} if it has.
	 */
	private static @Nullable String await(Completion completion, Supplier<Duration> remaining) {
		try {
			completion.await(remaining);
			return null;
		}
		catch (ExecutionException ex) {
			return String.valueOf((ex.getCause() != null) ? ex.getCause().getMessage() : ex.getMessage());
		}
		catch (TimeoutException ex) {
			return "timed out";
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "interrupted";
		}
	}

	/**
	 * Properties of a registry.
	 *
	 * @param kind kind of listeners, for messages
	 * @param autoStartup whether listeners start with the application
	 * @param startTimeout maximum time to wait for listeners to start
	 * @param stopTimeout maximum time to wait for running calls when listeners stop
	 * @param clock returns monotonic time in nanoseconds
	 */
	public record Settings(String kind, boolean autoStartup, Duration startTimeout, Duration stopTimeout,
			LongSupplier clock) {
	}

}
