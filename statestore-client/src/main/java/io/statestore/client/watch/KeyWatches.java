package io.statestore.client.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * All watches over one connection. The store has at most one watch of each key, however
 * many listeners the key has (protocol sections 6 and 7).
 * <p>
 * Each listener receives every change once, in the order of the versions. On every
 * connection, and periodically, all keys are synchronized: they are watched again and
 * read. If the version has changed, or the key was deleted, the change is delivered,
 * marked as {@linkplain KeyChange#resynchronized() resynchronized}. A synchronization
 * that fails is retried with increasing delays.
 * <p>
 * Listeners run on an executor, one change at a time for each listener and key. If the
 * executor rejects a task, the task is retried until the executor accepts it. Two kinds
 * of executors are not suitable: one that runs tasks on the calling thread would run
 * listeners on a network thread, and one that drops tasks silently would stop the
 * delivery. Safe for use by several threads; never blocks.
 */
public final class KeyWatches implements KeyWatcher, AutoCloseable {

	private final AtomicBoolean opened = new AtomicBoolean();

	private final NotificationSource source;

	private final WatchedKeys keys;

	private final QueueLimit queueLimit;

	private final RetryingExecutor executor;

	/** Runs listeners that never block, on the thread that receives the change. */
	private final RetryingExecutor direct;

	private final StateStoreObservability observability;

	private final DeliveryCounters counters = new DeliveryCounters();

	/** Not published, because direct listeners are internal to this library. */
	private final DeliveryCounters directCounters = new DeliveryCounters();

	private final Runnable closeResources;

	private volatile boolean closed;

	/**
	 * Creates watches with default options, resources of their own, and without metrics.
	 * @param connection receives the notifications and sends the commands
	 */
	public KeyWatches(StateStoreConnection connection) {
		this(new MqttNotificationSource(connection), connection, WatchOptions.DEFAULT, null,
				StateStoreObservability.NONE, new ClientResources(), true);
	}

	/**
	 * Creates watches that share resources, for example with their connection.
	 * @param connection receives the notifications and sends the commands
	 * @param options how keys are watched
	 * @param executor runs the listeners and is not closed; {@code null} for
	 * {@link ClientResources#listeners()}
	 * @param observability observes every call of a listener
	 * @param resources timer and threads, which are not closed
	 */
	public KeyWatches(StateStoreConnection connection, WatchOptions options, @Nullable Executor executor,
			StateStoreObservability observability, ClientResources resources) {
		this(new MqttNotificationSource(connection), connection, options, executor, observability, resources, false);
	}

	KeyWatches(NotificationSource source, CommandInvoker invoker, WatchOptions options, @Nullable Executor executor,
			StateStoreObservability observability, ClientResources resources, boolean closesResources) {
		this.source = source;
		this.observability = observability;
		WatchTiming timing = new WatchTiming((delay, task) -> schedule(resources, delay, task), options,
				() -> ThreadLocalRandom.current().nextDouble(), resources.time());
		this.keys = new WatchedKeys(source, new CommandGate(invoker), timing);
		this.queueLimit = options.queueLimit();
		this.executor = new RetryingExecutor(
				(executor != null) ? resources.time().tracked(executor) : resources.listeners(), timing.timer());
		this.direct = new RetryingExecutor(Runnable::run, timing.timer());
		this.closeResources = closesResources ? resources::close : () -> {
		};
	}

	/** Creates watches with virtual time, for tests. */
	KeyWatches(NotificationSource source, CommandInvoker invoker, WatchTiming timing, Executor executor) {
		this.source = source;
		this.observability = StateStoreObservability.NONE;
		this.keys = new WatchedKeys(source, new CommandGate(invoker), timing);
		this.queueLimit = timing.options().queueLimit();
		this.executor = new RetryingExecutor(executor, timing.timer());
		this.direct = new RetryingExecutor(Runnable::run, timing.timer());
		this.closeResources = () -> {
		};
	}

	/**
	 * Schedules a task, which may call listeners and executors of the application. The
	 * timer thus only hands it over.
	 */
	private Runnable schedule(ClientResources resources, Duration delay, Runnable task) {
		Runnable unlessClosed = () -> {
			if (!this.closed) {
				task.run();
			}
		};
		var future = resources.timer()
			.schedule(() -> resources.replies().execute(unlessClosed), delay.toMillis(), TimeUnit.MILLISECONDS);
		return () -> future.cancel(false);
	}

	@Override
	public KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
		if (!this.source.isWatchable(key.bytes())) {
			throw new IllegalArgumentException("A key of " + key.bytes().length()
					+ " bytes cannot be watched: the topic of its notifications would be too long. Use keys of at most "
					+ Topics.MAX_WATCHABLE_KEY_LENGTH + " bytes, fewer with a long client id");
		}
		if (this.closed) {
			throw closed(key);
		}
		if (this.opened.compareAndSet(false, true)) {
			this.source.open(this.keys);
		}
		DeliveryQueue queue = new DeliveryQueue(settings.id(), settings.direct() ? this.direct : this.executor,
				this.queueLimit, settings.direct() ? this.directCounters : this.counters,
				new ListenerInvoker(settings, listener, this.observability));
		DefaultKeyWatch watch = this.keys.add(key, settings, queue);
		if (this.closed) {
			// Closed by another thread, which may have missed this watch.
			watch.close();
			this.source.close();
			throw closed(key);
		}
		StateStoreException refusal = this.keys.refusal();
		if (refusal != null) {
			watch.refused(refusal);
		}
		return watch;
	}

	private static IllegalStateException closed(Key key) {
		return new IllegalStateException("Key " + key + " cannot be watched: the KeyWatches are closed");
	}

	@Override
	public CommandInvoker tracking(CommandInvoker invoker) {
		return new LocalWriteTracker(invoker, this.keys::find);
	}

	/**
	 * Returns whether changes of a key arrive now.
	 * @param key the key
	 * @return {@code true} if they do
	 */
	public boolean isActive(Key key) {
		WatchedKey watched = this.keys.find(key.bytes());
		return watched != null && watched.isActive();
	}

	/**
	 * Returns the number of watched keys, and of changes for their listeners.
	 * @return a snapshot
	 */
	public Statistics statistics() {
		return new Statistics(watchedKeys(), this.counters.delivered(), this.counters.resynchronized(),
				this.counters.behind(), this.counters.dropped());
	}

	/**
	 * Returns the watched keys, including those of locks. Does not ask the store.
	 * @return a snapshot, in no particular order
	 */
	public List<Status> watches() {
		return this.keys.inUse()
			.map((watched) -> new Status(watched.key(), watched.isActive(), watched.version(), watched.listeners()))
			.toList();
	}

	/** Returns the number of keys with listeners or with a watch in the store. */
	int watchedKeys() {
		return this.keys.size();
	}

	/**
	 * Closes all watches, and refuses further ones. Listeners that are running continue.
	 * Can be called repeatedly.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.source.close();
		this.keys.close();
		this.closeResources.run();
	}

	/**
	 * Watches of one client, and the changes for their listeners since the start. The
	 * numbers are read while changes are delivered, so they may be slightly inconsistent.
	 * The watches of locks count as watched keys only.
	 *
	 * @param watchedKeys current number of watched keys, each counted once
	 * @param delivered changes passed to listeners, including resynchronized ones
	 * @param resynchronized delivered changes that follow possibly missed ones, such as
	 * those after a reconnect, and initial values
	 * @param behind current number of changes that wait for their listeners
	 * @param dropped changes that a later change has replaced because a queue was full
	 */
	public record Statistics(int watchedKeys, long delivered, long resynchronized, long behind, long dropped) {
	}

	/**
	 * Status of a watched key at one moment.
	 *
	 * @param key the key
	 * @param active whether changes of the key arrive now
	 * @param version version of the last known value or deletion, {@code null} if none is
	 * known
	 * @param listeners names of the listeners
	 */
	public record Status(Key key, boolean active, @Nullable Version version, List<String> listeners) {
	}

}
