package io.statestore.client.annotation;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyObservation;
import io.statestore.client.ObserveSpec;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ParameterizedTypeReference;

/**
 * One listener of some keys, which can be started and stopped any number of times. Safe
 * for use by several threads.
 * <p>
 * A listener that is started again while its last call is still running observes its keys
 * as soon as that call has ended, so that calls before and after a restart never overlap.
 * Until then it is running, but not active. No thread waits for the call to end.
 */
public final class StateStoreListenerEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreListenerEndpoint.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final CallingThreads callers = new CallingThreads();

	private final String id;

	private final List<Key> keys;

	private final Type valueType;

	private final Options options;

	private final KeyChangeListener<Object> listener;

	/** Observes the keys instead of that of the registry, if not {@code null}. */
	private final @Nullable StateStoreOperations operations;

	/** Since it was started; {@code null} when it was not, or was stopped. */
	private @Nullable ListenerRun run;

	/** Completes when the calls of earlier runs have ended. */
	private CompletableFuture<Void> stopping = CompletableFuture.completedFuture(null);

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
		this(id, keys, valueType, options, listener, null);
	}

	/**
	 * Creates an endpoint that may observe another store than those of its registry do.
	 * @param id the id, unique in its registry
	 * @param keys the keys, at least one
	 * @param valueType the type that values are converted to
	 * @param options how to observe the keys
	 * @param listener the listener to call
	 * @param operations observes the keys, or {@code null} for the operations of the
	 * registry
	 */
	public StateStoreListenerEndpoint(String id, List<Key> keys, Type valueType, Options options,
			KeyChangeListener<Object> listener, @Nullable StateStoreOperations operations) {
		this.id = id;
		this.keys = List.copyOf(keys);
		this.valueType = valueType;
		this.options = options;
		this.listener = listener;
		this.operations = operations;
		this.wanted = options.autoStartup();
	}

	/** Its name. */
	public String id() {
		return this.id;
	}

	/**
	 * Returns the observed keys.
	 * @return the keys
	 */
	public List<Key> keys() {
		return this.keys;
	}

	boolean isWanted() {
		return this.wanted;
	}

	void want(boolean wanted) {
		this.wanted = wanted;
	}

	/**
	 * Returns whether the listener was started and not stopped, with or without a
	 * connection.
	 * @return {@code true} if it runs
	 */
	public boolean isRunning() {
		this.lock.lock();
		try {
			return this.run != null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns whether changes of all its keys arrive now.
	 * @return {@code true} if they do
	 */
	public boolean isActive() {
		this.lock.lock();
		try {
			return this.run != null && this.run.isActive();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether this very code was called by the listener. */
	boolean isCalledBySelf() {
		return this.callers.includeCurrent();
	}

	/** Whether a call from before the last stop is still running. */
	boolean isStopping() {
		this.lock.lock();
		try {
			return !this.stopping.isDone();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Start if it is to run and does not; never blocks.
	 * @param defaultOperations observes the keys if this has no operations of its own
	 * @param toRun asked once, in one step with what follows from it
	 * @return to wait until the store has acknowledged all keys, if there is something to
	 * wait for
	 */
	Waiting start(Supplier<StateStoreOperations> defaultOperations, BooleanSupplier toRun) {
		StateStoreAsyncOperations operations = ((this.operations != null) ? this.operations : defaultOperations.get())
			.async();
		if (operations == null) {
			return (timeout) -> {
				throw new ExecutionException(
						new IllegalStateException("its StateStoreOperations bean has no async(), as a mock has none"));
			};
		}
		this.lock.lock();
		try {
			if (this.run == null && toRun.getAsBoolean()) {
				ListenerRun next = new ListenerRun();
				if (this.stopping.isDone()) {
					next.begin(this.keys, (key) -> observe(operations, key));
				}
				else {
					this.stopping.thenRun(() -> beginLate(next, operations));
				}
				this.run = next;
			}
			ListenerRun current = this.run;
			return (current != null) ? current::awaitStarted : (timeout) -> {
			};
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The last call has ended. */
	private void beginLate(ListenerRun next, StateStoreAsyncOperations operations) {
		this.lock.lock();
		try {
			if (this.run == next) {
				next.begin(this.keys, (key) -> observe(operations, key));
			}
		}
		catch (RuntimeException ex) {
			this.run = null;
			logger.error("State store listener '{}' could not be started again after its last call", this.id, ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Stop unless it is to run, and drop changes that wait; never blocks.
	 * @param toRun asked once, in one step with what follows from it
	 * @return to wait until calls that were running have ended
	 */
	Waiting stop(BooleanSupplier toRun) {
		this.lock.lock();
		try {
			if (this.run != null && !toRun.getAsBoolean()) {
				this.stopping = this.run.end(this.stopping);
				this.run = null;
			}
			CompletableFuture<Void> current = this.stopping;
			return (timeout) -> current.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		finally {
			this.lock.unlock();
		}
	}

	private KeyObservation observe(StateStoreAsyncOperations operations, Key key) {
		return operations.observe(key, ParameterizedTypeReference.forType(this.valueType), this::customize,
				this.callers.tracking(this.listener));
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
			spec.onError(this.callers.tracking(this.options.errorHandler()));
		}
	}

	@Override
	public String toString() {
		return "StateStoreListenerEndpoint[" + this.id + ", keys=" + this.keys + ", calls " + this.listener + "]";
	}

	/** Waits for something. */
	interface Waiting {

		void await(Duration timeout) throws InterruptedException, ExecutionException, TimeoutException;

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
