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
 * Holds all listeners and starts and stops them, each by its id and all with the
 * application. Safe for use by several threads.
 * <p>
 * Starting does not wait for towers, stores or producers: listeners find them whenever
 * they appear. Stopping waits up to {@link DafkaListenerOptions#stopTimeout()} for calls
 * that are running; a listener that stops itself does not wait.
 */
public final class DafkaListenerRegistry implements SmartLifecycle {

	/** After everything that listeners need; the first to stop. */
	public static final int PHASE = Integer.MAX_VALUE - 100;

	private static final Logger logger = LoggerFactory.getLogger(DafkaListenerRegistry.class);

	private final Map<String, DafkaListenerEndpoint> endpoints = new ConcurrentHashMap<>();

	private final List<Consumer<DafkaListenerEndpoint>> observers = new CopyOnWriteArrayList<>();

	private final Supplier<DafkaConsumerFactory> consumers;

	private final DafkaListenerOptions options;

	private volatile boolean running;

	/**
	 * @param consumers asked for when the first listener starts
	 * @param options of all listeners
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

	/** Be given each listener, now and whenever there is another; perhaps twice. */
	public void onRegistered(Consumer<DafkaListenerEndpoint> observer) {
		this.observers.add(observer);
		all().forEach(observer);
	}

	/** All listeners. */
	public Collection<DafkaListenerEndpoint> all() {
		return List.copyOf(this.endpoints.values());
	}

	/** The ids of all listeners. */
	public Set<String> ids() {
		return Set.copyOf(this.endpoints.keySet());
	}

	/**
	 * A listener.
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
	 * Start a listener that is not running, and have it start with the registry from now
	 * on. Nothing is read before the registry runs.
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
