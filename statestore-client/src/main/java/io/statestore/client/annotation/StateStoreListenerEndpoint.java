package io.statestore.client.annotation;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.WatchSpec;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.listener.Completion;
import io.statestore.listener.ListenerEndpointSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Listener for a set of keys. Its {@link StateStoreListenerRegistry} can start and stop
 * it any number of times. Thread-safe.
 * <p>
 * If a listener is restarted while its last call is still running, it starts to watch its
 * keys only after that call has ended, so that calls before and after a restart never
 * overlap. Until then, it is running but not active. No thread waits for the call to end.
 */
public final class StateStoreListenerEndpoint extends ListenerEndpointSupport {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreListenerEndpoint.class);

	/**
	 * Threads that are calling the listener or its error handler. They must not wait for
	 * their own call to end.
	 */
	private final Set<Thread> callers = ConcurrentHashMap.newKeySet();

	private final List<Key> keys;

	private final List<String> patterns;

	private final Type valueType;

	private final Options options;

	private final KeyChangeListener<Object> listener;

	/** Operations that watch the keys, {@code null} for the registry's operations. */
	private final @Nullable StateStoreOperations operations;

	/** Current run, {@code null} before a start and after a stop. */
	private @Nullable ListenerRun run;

	/** Completes when calls of earlier runs have ended. */
	private CompletableFuture<Void> stopping = CompletableFuture.completedFuture(null);

	/**
	 * Creates an endpoint.
	 * @param id the id, unique in its registry
	 * @param keys the keys to watch
	 * @param patterns patterns of additional keys to watch
	 * @param valueType the type that values are converted to
	 * @param options how to watch the keys
	 * @param listener the listener to call
	 * @param operations operations that watch the keys, {@code null} for the registry's
	 * operations
	 */
	StateStoreListenerEndpoint(String id, List<Key> keys, List<String> patterns, Type valueType, Options options,
			KeyChangeListener<Object> listener, @Nullable StateStoreOperations operations) {
		super(id, options.autoStartup());
		this.keys = List.copyOf(keys);
		this.patterns = List.copyOf(patterns);
		this.valueType = valueType;
		this.options = options;
		this.listener = listener;
		this.operations = operations;
	}

	/**
	 * Returns the watched keys, without keys watched through patterns.
	 * @return the keys
	 */
	public List<Key> keys() {
		return this.keys;
	}

	/**
	 * Returns the patterns of additional watched keys.
	 * @return the patterns
	 */
	public List<String> patterns() {
		return this.patterns;
	}

	/**
	 * Returns whether the listener was started and not stopped. It may be running without
	 * a connection.
	 * @return {@code true} if it is running
	 */
	public synchronized boolean isRunning() {
		return this.run != null;
	}

	/**
	 * Returns whether changes of all keys are expected to arrive.
	 * @return {@code true} if all watches are active
	 */
	public synchronized boolean isActive() {
		return this.run != null && this.run.isActive();
	}

	@Override
	protected boolean isCalledBySelf() {
		return this.callers.contains(Thread.currentThread());
	}

	/** Returns whether a call from before the last stop is still running. */
	synchronized boolean isStopping() {
		return !this.stopping.isDone();
	}

	/**
	 * Starts the listener if it should run and is not running. Never blocks.
	 * @param defaultOperations returns the operations to use if the listener does not
	 * have its own
	 * @param toRun whether the listener should run; read in one step with the start
	 * @return waits until the store has acknowledged all keys
	 */
	Completion start(Supplier<StateStoreOperations> defaultOperations, BooleanSupplier toRun) {
		StateStoreAsyncOperations operations = ((this.operations != null) ? this.operations : defaultOperations.get())
			.async();
		if (operations == null) {
			return (remaining) -> {
				throw new ExecutionException(
						new IllegalStateException("its StateStoreOperations bean has no async(), as a mock has none"));
			};
		}
		synchronized (this) {
			ListenerRun current = this.run;
			if (current == null && toRun.getAsBoolean()) {
				ListenerRun next = new ListenerRun();
				current = next;
				if (this.stopping.isDone()) {
					next.begin(starts(operations));
					this.run = next;
				}
				else {
					// Set before registering the callback, because the earlier call may
					// end concurrently.
					this.run = next;
					this.stopping.thenRun(() -> beginLate(next, operations));
				}
			}
			return (current != null) ? current::awaitStarted : Completion.DONE;
		}
	}

	/** Begins a run after the last call of the previous run. */
	private synchronized void beginLate(ListenerRun next, StateStoreAsyncOperations operations) {
		try {
			if (this.run == next) {
				next.begin(starts(operations));
			}
		}
		catch (RuntimeException ex) {
			this.run = null;
			logger.error("Failed to restart state store listener '{}' after its last call, so it receives no changes. "
					+ "Stop and start it", id(), ex);
		}
	}

	/**
	 * Stops the listener and discards waiting changes, unless the listener should run.
	 * Never blocks.
	 * @param toRun whether the listener should run; read in one step with the stop
	 * @return waits until running calls have ended
	 */
	synchronized Completion stop(BooleanSupplier toRun) {
		if (this.run != null && !toRun.getAsBoolean()) {
			this.stopping = this.run.end(this.stopping);
			this.run = null;
		}
		CompletableFuture<Void> current = this.stopping;
		return (remaining) -> current.get(remaining.get().toNanos(), TimeUnit.NANOSECONDS);
	}

	private List<Supplier<KeyWatch>> starts(StateStoreAsyncOperations operations) {
		ParameterizedTypeReference<Object> type = ParameterizedTypeReference.forType(this.valueType);
		List<Supplier<KeyWatch>> starts = new ArrayList<>();
		this.keys.forEach((key) -> starts.add(() -> operations.watch(key, type, this::customize, this::onChange)));
		this.patterns.forEach(
				(pattern) -> starts.add(() -> operations.watchPattern(pattern, type, this::customize, this::onChange)));
		return starts;
	}

	private void onChange(KeyChange<Object> change) throws Exception {
		boolean outermost = this.callers.add(Thread.currentThread());
		try {
			this.listener.onChange(change);
		}
		finally {
			leave(outermost);
		}
	}

	private void leave(boolean outermost) {
		if (outermost) {
			this.callers.remove(Thread.currentThread());
		}
	}

	private void customize(WatchSpec spec) {
		spec.id(id()).only(this.options.operations().toArray(Operation[]::new));
		if (this.options.initial()) {
			spec.initial();
		}
		if (this.options.noLocal()) {
			spec.noLocal();
		}
		KeyChangeErrorHandler errorHandler = this.options.errorHandler();
		if (errorHandler != null) {
			spec.onError((listenerId, change, failure) -> {
				boolean outermost = this.callers.add(Thread.currentThread());
				try {
					errorHandler.handleError(listenerId, change, failure);
				}
				finally {
					leave(outermost);
				}
			});
		}
	}

	@Override
	public String toString() {
		return "StateStoreListenerEndpoint[" + id() + ", keys=" + this.keys + this.patterns + ", calls " + this.listener
				+ "]";
	}

	/**
	 * Options of an endpoint.
	 *
	 * @param operations operations to deliver, not empty
	 * @param initial whether to deliver current values first
	 * @param noLocal whether to omit changes that this application writes itself
	 * @param errorHandler handles listener failures, {@code null} to log them
	 * @param autoStartup whether to start with the application
	 */
	record Options(Set<Operation> operations, boolean initial, boolean noLocal,
			@Nullable KeyChangeErrorHandler errorHandler, boolean autoStartup) {

		Options {
			operations = Set.copyOf(operations);
		}

	}

}
