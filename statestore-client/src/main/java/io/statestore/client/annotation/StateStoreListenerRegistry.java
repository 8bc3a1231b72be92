package io.statestore.client.annotation;

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
import java.util.function.Supplier;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListenerEndpoint.Waiting;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Holds all listeners and starts and stops them, each by its id and all with the
 * application. Safe for use by several threads.
 * <p>
 * Starting waits until the store has acknowledged every key, but no longer than the start
 * timeout, and not at all without a connection. Then the application continues, a warning
 * names the listener, and it starts as soon as the store answers. Stopping waits up to 10
 * seconds for calls of listeners that are running; then a warning tells which listener it
 * was. No call begins once a listener was stopped, and none after a restart before the
 * last one from before has ended: until then the listener observes nothing.
 * <p>
 * Listeners, and their error handlers, may use the registry and may close the
 * application: no method waits for a call that it is called from, so that stopping
 * oneself returns at once and is complete when the listener returns. It does wait for
 * calls of other listeners, also where these wait for it, up to the 10 seconds.
 * <p>
 * Where several threads start and stop at the same time, the last one decides: once all
 * calls have returned a listener runs if it was started last and the registry was, too.
 */
public final class StateStoreListenerRegistry implements SmartLifecycle {

	/** Starts after everything that listeners need, and stops first. */
	public static final int PHASE = Integer.MAX_VALUE - 100;

	private static final Logger logger = LoggerFactory.getLogger(StateStoreListenerRegistry.class);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final Map<String, StateStoreListenerEndpoint> endpoints = new ConcurrentHashMap<>();

	private final Supplier<StateStoreOperations> operations;

	private final Duration startTimeout;

	private final boolean autoStartup;

	private volatile boolean running;

	/**
	 * Creates a registry whose listeners start with the application.
	 * @param operations observes the keys of listeners without operations of their own;
	 * called when such a listener starts
	 * @param startTimeout maximum time to wait for the store when listeners start, such
	 * as 3 s, or zero not to wait
	 */
	public StateStoreListenerRegistry(Supplier<StateStoreOperations> operations, Duration startTimeout) {
		this(operations, startTimeout, true);
	}

	/**
	 * Creates a registry.
	 * @param operations observes the keys of listeners without operations of their own;
	 * called when such a listener starts
	 * @param startTimeout maximum time to wait for the store when listeners start, such
	 * as 3 s, or zero not to wait
	 * @param autoStartup whether listeners start with the application; otherwise
	 * {@link #start()} starts them
	 */
	public StateStoreListenerRegistry(Supplier<StateStoreOperations> operations, Duration startTimeout,
			boolean autoStartup) {
		this.operations = operations;
		this.startTimeout = startTimeout;
		this.autoStartup = autoStartup;
	}

	/**
	 * Adds a listener, and starts it if the registry is running and the listener starts
	 * automatically.
	 * @throws IllegalStateException if there is one with the same id
	 */
	public void register(StateStoreListenerEndpoint endpoint) {
		StateStoreListenerEndpoint other = this.endpoints.putIfAbsent(endpoint.id(), endpoint);
		if (other != null) {
			throw new IllegalStateException("Two state store listeners have the id '" + endpoint.id() + "': " + other
					+ " and " + endpoint + ". Give one of them another 'id'");
		}
		if (isToRun(endpoint)) {
			start(List.of(endpoint));
		}
	}

	/**
	 * Stops and removes a listener, if there is one with this id. Its id may be used
	 * again.
	 * @param id the id of the listener
	 */
	public void unregister(String id) {
		StateStoreListenerEndpoint endpoint = this.endpoints.remove(id);
		if (endpoint != null) {
			endpoint.want(false);
			stop(List.of(endpoint));
		}
	}

	/**
	 * Returns the ids of all listeners.
	 * @return the ids
	 */
	public Set<String> ids() {
		return Set.copyOf(this.endpoints.keySet());
	}

	/**
	 * Returns a listener.
	 * @param id the id of the listener
	 * @return the listener
	 * @throws IllegalArgumentException if there is none with this id
	 */
	public StateStoreListenerEndpoint get(String id) {
		StateStoreListenerEndpoint endpoint = this.endpoints.get(id);
		if (endpoint == null) {
			throw new IllegalArgumentException(
					"There is no state store listener with the id '" + id + "'. There are: " + ids());
		}
		return endpoint;
	}

	/**
	 * Starts a listener that is not running, and lets it start with the registry from now
	 * on. Nothing is observed before the registry runs, and before a call from before the
	 * last {@link #stop(String)} has ended.
	 */
	public void start(String id) {
		StateStoreListenerEndpoint endpoint = get(id);
		endpoint.want(true);
		if (isToRun(endpoint)) {
			start(List.of(endpoint));
		}
	}

	/**
	 * Stops a listener until it is started by its id. Called by the listener itself it
	 * returns at once, and the listener is not called again.
	 */
	public void stop(String id) {
		StateStoreListenerEndpoint endpoint = get(id);
		endpoint.want(false);
		stop(List.of(endpoint));
	}

	@Override
	public void start() {
		this.running = true;
		start(this.endpoints.values().stream().filter(this::isToRun).toList());
	}

	@Override
	public void stop() {
		this.running = false;
		stop(this.endpoints.values());
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/** Changed before an endpoint is asked to follow, which asks when it does. */
	private boolean isToRun(StateStoreListenerEndpoint endpoint) {
		return this.running && endpoint.isWanted();
	}

	/** All at once, because each may have to wait for the store. */
	private void start(Collection<StateStoreListenerEndpoint> endpoints) {
		Map<StateStoreListenerEndpoint, Waiting> started = new LinkedHashMap<>();
		endpoints
			.forEach((endpoint) -> started.put(endpoint, endpoint.start(this.operations, () -> isToRun(endpoint))));
		awaitAll(started, this.startTimeout,
				(endpoint, problem) -> logger.warn(
						"State store listener '{}' does not observe {} yet: {}. It starts as soon as the store answers",
						endpoint.id(), endpoint.keys(),
						endpoint.isStopping() ? "its last call is still running" : problem));
	}

	private void stop(Collection<StateStoreListenerEndpoint> endpoints) {
		Map<StateStoreListenerEndpoint, Waiting> stopped = new LinkedHashMap<>();
		endpoints.forEach((endpoint) -> stopped.put(endpoint, endpoint.stop(() -> isToRun(endpoint))));
		awaitAll(stopped, STOP_TIMEOUT,
				(endpoint, problem) -> logger.warn(
						"State store listener '{}' is still running after it was stopped: its last call has not ended",
						endpoint.id()));
	}

	/** Except those that wait for the caller. */
	private static void awaitAll(Map<StateStoreListenerEndpoint, Waiting> waitings, Duration timeout,
			BiConsumer<StateStoreListenerEndpoint, String> onProblem) {
		long deadline = System.nanoTime() + timeout.toNanos();
		waitings.forEach((endpoint, waiting) -> {
			if (endpoint.isCalledBySelf()) {
				return;
			}
			String problem = await(waiting, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
			if (problem != null) {
				onProblem.accept(endpoint, problem);
			}
		});
	}

	/** Why it has not happened, {@code null} if it has. */
	private static @Nullable String await(Waiting waiting, Duration timeout) {
		try {
			waiting.await(timeout);
			return null;
		}
		catch (ExecutionException ex) {
			return String.valueOf((ex.getCause() != null) ? ex.getCause().getMessage() : ex.getMessage());
		}
		catch (TimeoutException ex) {
			return "no answer of the store in time";
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "interrupted";
		}
	}

}
