package io.statestore.client.annotation;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyObservation;
import io.statestore.client.ObserveSpec;
import io.statestore.client.StateStoreAsyncOperations;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/**
 * One listener of some keys, which can be started and stopped any number of times. Safe
 * for use by several threads.
 */
public final class StateStoreListenerEndpoint {

	private final ReentrantLock lock = new ReentrantLock();

	private final String id;

	private final List<Key> keys;

	private final Type valueType;

	private final Options options;

	private final KeyChangeListener<Object> listener;

	private List<KeyObservation> observations = List.of();

	private boolean running;

	/** Whether it runs whenever its registry does. */
	private volatile boolean wanted;

	/**
	 * @param id unique in its registry
	 * @param keys at least one
	 * @param valueType what values are converted to
	 * @param options how to observe
	 * @param listener what to call
	 */
	public StateStoreListenerEndpoint(String id, List<Key> keys, Type valueType, Options options,
			KeyChangeListener<Object> listener) {
		this.id = id;
		this.keys = List.copyOf(keys);
		this.valueType = valueType;
		this.options = options;
		this.listener = listener;
		this.wanted = options.autoStartup();
	}

	/** Its name. */
	public String id() {
		return this.id;
	}

	/** What it observes. */
	public List<Key> keys() {
		return this.keys;
	}

	boolean isWanted() {
		return this.wanted;
	}

	void want(boolean wanted) {
		this.wanted = wanted;
	}

	/** Whether it was started and not stopped, with or without a connection. */
	public boolean isRunning() {
		this.lock.lock();
		try {
			return this.running;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether changes of all its keys arrive right now. */
	public boolean isActive() {
		this.lock.lock();
		try {
			return this.running && this.observations.stream().allMatch(KeyObservation::isActive);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Start, unless it is running.
	 * @return completed when the store has acknowledged all keys
	 */
	CompletableFuture<Void> start(StateStoreAsyncOperations operations) {
		this.lock.lock();
		try {
			if (!this.running) {
				List<KeyObservation> started = new ArrayList<>();
				try {
					this.keys.forEach((key) -> started.add(observe(operations, key)));
				}
				catch (RuntimeException ex) {
					started.forEach(KeyObservation::close);
					throw ex;
				}
				this.observations = started;
				this.running = true;
			}
			return allOf(this.observations.stream().map(KeyObservation::started).toList());
		}
		finally {
			this.lock.unlock();
		}
	}

	private KeyObservation observe(StateStoreAsyncOperations operations, Key key) {
		return operations.observe(key, ParameterizedTypeReference.forType(this.valueType), this::customize,
				this.listener);
	}

	private void customize(ObserveSpec spec) {
		spec.id(this.id).only(this.options.operations().toArray(Operation[]::new));
		if (this.options.initial()) {
			spec.initial();
		}
		if (this.options.ignoreOwn()) {
			spec.ignoreOwn();
		}
		if (this.options.errorHandler() != null) {
			spec.onError(this.options.errorHandler());
		}
	}

	/**
	 * Stop; changes that wait are dropped.
	 * @return completed when calls that were running have ended
	 */
	CompletableFuture<Void> stop() {
		this.lock.lock();
		try {
			this.running = false;
			List<KeyObservation> stopped = this.observations;
			this.observations = List.of();
			return allOf(stopped.stream().map(KeyObservation::closeAsync).toList());
		}
		finally {
			this.lock.unlock();
		}
	}

	private static CompletableFuture<Void> allOf(List<CompletableFuture<Void>> futures) {
		return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
	}

	@Override
	public String toString() {
		return "StateStoreListenerEndpoint[" + this.id + ", keys=" + this.keys + ", calls " + this.listener + "]";
	}

	/**
	 * How an endpoint observes its keys.
	 *
	 * @param operations what to deliver, not empty
	 * @param initial whether to begin with the current value
	 * @param ignoreOwn whether to leave out our own writes
	 * @param errorHandler is told of failures, {@code null} for a log
	 * @param autoStartup whether to start with the application
	 */
	public record Options(Set<Operation> operations, boolean initial, boolean ignoreOwn,
			@Nullable KeyChangeErrorHandler errorHandler, boolean autoStartup) {

		public Options {
			operations = Set.copyOf(operations);
		}

	}

}
