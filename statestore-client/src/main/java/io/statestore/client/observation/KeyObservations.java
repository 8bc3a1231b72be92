package io.statestore.client.observation;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * All observations over one connection: at most one of each key, however many listeners
 * it has (protocol sections 6 and 7).
 * <p>
 * Every change is delivered to every listener once, in the order of its versions. After
 * every connection, and from time to time, keys are observed again and read; where the
 * version has moved the change is delivered marked as
 * {@linkplain KeyChange#resynchronised() resynchronised}, deletions included. A command
 * that fails is repeated with growing pauses while there is a connection.
 * <p>
 * Listeners run on the given executor, one change of one listener and key at a time. An
 * executor that runs tasks on the calling thread would run them on a network thread, and
 * one that drops tasks silently would end a listener: do not use either. One that rejects
 * a task is asked again until it takes it. Safe for use by several threads; nothing here
 * blocks.
 */
public final class KeyObservations implements KeyObserver, AutoCloseable {

	private final Map<Bytes, ObservedKey> keys = new ConcurrentHashMap<>();

	private final SourceHandler handler = new SourceHandler();

	private final AtomicBoolean opened = new AtomicBoolean();

	private final NotificationSource source;

	private final CommandGate gate;

	private final FailureLog failureLog;

	private final PatientExecutor executor;

	/** For listeners that never block. */
	private final PatientExecutor direct;

	private final ObservationRegistry observationRegistry;

	private final Pace pace;

	private final Runnable shutdown;

	private volatile boolean connected;

	/** Why notifications cannot arrive on the present connection. */
	private volatile @Nullable StateStoreException refusal;

	private volatile boolean closed;

	/**
	 * Observations with default options, threads of their own and no metrics.
	 * @param source where notifications come from
	 * @param invoker sends commands over the same connection
	 */
	public KeyObservations(NotificationSource source, CommandInvoker invoker) {
		this(source, invoker, ObservationOptions.DEFAULT, null, ObservationRegistry.NOOP);
	}

	/**
	 * @param source where notifications come from
	 * @param invoker sends commands over the same connection
	 * @param options how keys are observed
	 * @param executor runs the listeners; stays open. {@code null} for virtual threads on
	 * JDK 21 and newer, otherwise a pool of up to 64 threads: 64 listeners that wait for
	 * something which another listener does then wait for ever
	 * @param observationRegistry is told of every call of a listener
	 */
	public KeyObservations(NotificationSource source, CommandInvoker invoker, ObservationOptions options,
			@Nullable Executor executor, ObservationRegistry observationRegistry) {
		this(source, invoker, options, executor, observationRegistry, new ClientResources(), true);
	}

	/**
	 * Creates observations that share resources, for example with their connection.
	 * @param source receives the notifications
	 * @param invoker sends commands over the same connection
	 * @param options how keys are observed
	 * @param executor runs the listeners and is not closed; {@code null} for
	 * {@link ClientResources#listeners()}
	 * @param observationRegistry observes every call of a listener
	 * @param resources timer and threads, which are not closed
	 */
	public KeyObservations(NotificationSource source, CommandInvoker invoker, ObservationOptions options,
			@Nullable Executor executor, ObservationRegistry observationRegistry, ClientResources resources) {
		this(source, invoker, options, executor, observationRegistry, resources, false);
	}

	private KeyObservations(NotificationSource source, CommandInvoker invoker, ObservationOptions options,
			@Nullable Executor executor, ObservationRegistry observationRegistry, ClientResources resources,
			boolean closesResources) {
		this.source = source;
		this.gate = new CommandGate(invoker);
		this.observationRegistry = observationRegistry;
		this.pace = new Pace((delay, task) -> schedule(resources.timer(), delay, task), options,
				() -> ThreadLocalRandom.current().nextDouble());
		this.failureLog = new FailureLog(this.pace.timer());
		this.executor = new PatientExecutor((executor != null) ? executor : resources.listeners(), this.pace.timer());
		this.direct = new PatientExecutor(Runnable::run, this.pace.timer());
		this.shutdown = closesResources ? resources::close : () -> {
		};
	}

	/** For tests, with time of their own. */
	KeyObservations(NotificationSource source, CommandInvoker invoker, Pace pace, Executor executor) {
		this.source = source;
		this.gate = new CommandGate(invoker);
		this.observationRegistry = ObservationRegistry.NOOP;
		this.failureLog = new FailureLog(pace.timer());
		this.executor = new PatientExecutor(executor, pace.timer());
		this.direct = new PatientExecutor(Runnable::run, pace.timer());
		this.pace = pace;
		this.shutdown = () -> {
		};
	}

	private Runnable schedule(ScheduledExecutorService timer, Duration delay, Runnable task) {
		var future = timer.schedule(() -> {
			if (!this.closed) {
				task.run();
			}
		}, delay.toMillis(), TimeUnit.MILLISECONDS);
		return () -> future.cancel(false);
	}

	@Override
	public KeyObservation observe(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
		if (!this.source.isObservable(key.bytes())) {
			throw new IllegalArgumentException("A key of " + key.bytes().length()
					+ " bytes cannot be observed: the topic of its notifications would be too long. Use keys of at most "
					+ Topics.MAX_OBSERVABLE_KEY_LENGTH + " bytes, fewer with a long client id");
		}
		if (this.closed) {
			throw closed(key);
		}
		if (this.opened.compareAndSet(false, true)) {
			this.source.open(this.handler);
		}
		PatientExecutor executor = settings.direct() ? this.direct : this.executor;
		Lane lane = new Lane(settings.id(), executor, this.pace.options().queueLimit(),
				new Delivery(settings, listener, this.observationRegistry));
		AtomicReference<ListenerHandle> added = new AtomicReference<>();
		AtomicBoolean isNew = new AtomicBoolean();
		// Added within, so that a key whose last listener leaves now is not forgotten.
		ObservedKey observed = this.keys.compute(key.bytes(), (bytes, existing) -> {
			isNew.set(existing == null);
			ObservedKey present = (existing != null) ? existing
					: new ObservedKey(key, this.gate, this.failureLog, this.pace, () -> forgetIfUnused(bytes));
			added.set(present.add(settings, lane, executor));
			return present;
		});
		if (isNew.get()) {
			observed.submit((machine) -> {
				// Read here, because the end of the connection is an event too.
				if (this.connected) {
					machine.connected();
				}
			});
		}
		ListenerHandle handle = Objects.requireNonNull(added.get());
		handle.connectedBy(this.source);
		handle.attach();
		if (this.closed) {
			// Meanwhile, perhaps without knowing of this one.
			handle.close();
			this.source.close();
			throw closed(key);
		}
		StateStoreException refusal = this.refusal;
		if (refusal != null) {
			handle.refused(refusal);
		}
		return handle;
	}

	private static IllegalStateException closed(Key key) {
		return new IllegalStateException("Key " + key + " cannot be observed: the KeyObservations are closed");
	}

	private void forgetIfUnused(Bytes bytes) {
		this.keys.computeIfPresent(bytes, (key, observed) -> observed.isUnused() ? null : observed);
	}

	@Override
	public CommandInvoker tracking(CommandInvoker invoker) {
		return new OwnWriteTracker(invoker, this.keys::get);
	}

	/**
	 * Returns whether changes of a key arrive now.
	 * @return {@code true} if they do
	 */
	public boolean isActive(Key key) {
		ObservedKey observed = this.keys.get(key.bytes());
		return observed != null && observed.isActive();
	}

	/** Keys with listeners, or of which the store has to be told that it has none. */
	int observedKeys() {
		return this.keys.size();
	}

	/** Ends every observation; the connection tells nothing more. */
	@Override
	public void close() {
		this.closed = true;
		this.source.close();
		this.keys.values().forEach((observed) -> observed.handles().forEach(ListenerHandle::close));
		this.shutdown.run();
	}

	/** What the connection has to tell. */
	private final class SourceHandler implements NotificationSource.Handler {

		@Override
		public void connected() {
			KeyObservations.this.refusal = null;
			KeyObservations.this.connected = true;
			KeyObservations.this.gate.clear();
			all((observed) -> observed.submit(KeyMachine::connected));
		}

		@Override
		public void disconnected() {
			KeyObservations.this.connected = false;
			KeyObservations.this.refusal = null;
			KeyObservations.this.gate.clear();
			all((observed) -> observed.submit(KeyMachine::disconnected));
		}

		@Override
		public void refused(StateStoreException reason) {
			KeyObservations.this.refusal = reason;
			all((observed) -> observed.handles().forEach((handle) -> handle.refused(reason)));
		}

		@Override
		public void changed(KeyChange<Bytes> change) {
			ObservedKey observed = KeyObservations.this.keys.get(change.key().bytes());
			if (observed != null) {
				observed.submit((machine) -> machine.changed(change));
			}
		}

		@Override
		public void unreadable(Bytes key) {
			ObservedKey observed = KeyObservations.this.keys.get(key);
			if (observed != null) {
				observed.submit(KeyMachine::unreadable);
			}
		}

		private void all(Consumer<ObservedKey> action) {
			KeyObservations.this.keys.values().forEach(action);
		}

	}

}
