package io.statestore.dafka.spring.listener;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Registry of all listeners. Starts and stops them with the application, and individually
 * by id. Thread-safe.
 * <p>
 * Starting does not wait for towers, stores, or producers: listeners find them when they
 * appear. Stopping waits up to {@link DafkaListenerOptions#stopTimeout()} for running
 * calls; a listener that stops itself does not wait.
 */
public final class DafkaListenerRegistry implements SmartLifecycle {

	/** Phase of the lifecycle: listeners start late and stop early. */
	public static final int PHASE = Integer.MAX_VALUE - 100;

	private static final Logger logger = LoggerFactory.getLogger(DafkaListenerRegistry.class);

	private final Map<String, DafkaListenerEndpoint> endpoints = new ConcurrentHashMap<>();

	private final List<Consumer<DafkaListenerEndpoint>> observers = new CopyOnWriteArrayList<>();

	private final Supplier<DafkaConsumerFactory> consumers;

	private final DafkaListenerOptions options;

	private volatile boolean running;

	/**
	 * Creates a registry.
	 * @param consumers returns the consumer factory; called when the first listener
	 * starts
	 * @param options options of all listeners
	 */
	public DafkaListenerRegistry(Supplier<DafkaConsumerFactory> consumers, DafkaListenerOptions options) {
		this.consumers = consumers;
		this.options = options;
	}

	void register(DafkaListenerEndpoint endpoint) {
		DafkaListenerEndpoint other = this.endpoints.putIfAbsent(endpoint.id(), endpoint);
		if (other != null) {
			throw new IllegalStateException("Two Dafka listeners have the id '" + endpoint.id() + "': " + other
					+ " and " + endpoint + ". Give one of them another 'id'");
		}
		this.observers.forEach((observer) -> observer.accept(endpoint));
		if (this.running && endpoint.isWanted()) {
			endpoint.start(this.consumers.get(), this.options);
		}
	}

	/**
	 * Calls an observer with each listener, present and future; possibly twice.
	 * @param observer the observer
	 */
	public void onRegistered(Consumer<DafkaListenerEndpoint> observer) {
		this.observers.add(observer);
		all().forEach(observer);
	}

	/**
	 * Returns all listeners.
	 * @return a snapshot
	 */
	public Collection<DafkaListenerEndpoint> all() {
		return List.copyOf(this.endpoints.values());
	}

	/**
	 * Returns the ids of all listeners.
	 * @return a snapshot
	 */
	public Set<String> ids() {
		return Set.copyOf(this.endpoints.keySet());
	}

	/**
	 * Returns a listener.
	 * @param id id of the listener
	 * @return the listener
	 * @throws IllegalArgumentException if there is none with this id
	 */
	public DafkaListenerEndpoint get(String id) {
		DafkaListenerEndpoint endpoint = this.endpoints.get(id);
		if (endpoint == null) {
			throw new IllegalArgumentException(
					"There is no Dafka listener with the id '" + id + "'. There are: " + ids());
		}
		return endpoint;
	}

	/**
	 * Starts a listener that is not running. From now on it starts with the registry.
	 * Nothing is read before the registry is running.
	 * @param id id of the listener
	 * @throws io.statestore.dafka.DafkaException if its port cannot be bound, or its
	 * offsets cannot be read
	 * @throws IllegalStateException if a call from before it was stopped is still running
	 */
	public void start(String id) {
		DafkaListenerEndpoint endpoint = get(id);
		endpoint.want(true);
		if (this.running) {
			endpoint.start(this.consumers.get(), this.options);
		}
	}

	/** Stop a listener until it is started by its id. */
	public void stop(String id) {
		DafkaListenerEndpoint endpoint = get(id);
		endpoint.want(false);
		stop(List.of(endpoint));
	}

	@Override
	public void start() {
		this.running = true;
		try {
			for (DafkaListenerEndpoint endpoint : this.endpoints.values()) {
				if (endpoint.isWanted()) {
					endpoint.start(this.consumers.get(), this.options);
				}
			}
		}
		catch (RuntimeException ex) {
			stop();
			throw ex;
		}
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
		return this.options.autoStartup();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/** All at once, because each may have to wait for a call. */
	private void stop(Collection<DafkaListenerEndpoint> endpoints) {
		endpoints.forEach(DafkaListenerEndpoint::stop);
		long end = System.nanoTime() + this.options.stopTimeout().toNanos();
		for (DafkaListenerEndpoint endpoint : endpoints) {
			if (!endpoint.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
				logger.warn("Dafka listener '{}' is still running after it was stopped", endpoint.id());
			}
		}
	}

}
