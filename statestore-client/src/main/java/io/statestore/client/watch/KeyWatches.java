package io.statestore.client.watch;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.ConnectionAccess;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.DefaultKeyWatch.Reason;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * All watches over a connection. The store has at most one watch for each key, regardless
 * of how many listeners the key has (protocol sections 6 and 7).
 * <p>
 * Each listener receives every change once, in version order. On every new connection,
 * and periodically, all keys are synchronized: they are watched again and read. If a
 * key's version has changed, or the key was deleted, the change is delivered, marked as
 * {@linkplain KeyChange#resynchronized() resynchronized}. Failed synchronizations are
 * retried with increasing delays.
 * <p>
 * Listeners run on an executor, one change at a time for each listener and key. If the
 * executor rejects a task, the task is retried until the executor accepts it. Two kinds
 * of executors are not suitable. An executor that runs tasks on the calling thread would
 * run listeners on a network thread. An executor that drops tasks silently would stop the
 * delivery. Thread-safe; never blocks.
 */
public final class KeyWatches implements KeyWatcher, AutoCloseable {

	/** Keys with listeners or with a watch in the store. */
	private final Map<Bytes, WatchedKey> keys = new ConcurrentHashMap<>();

	private final List<WatchedPattern> patterns = new CopyOnWriteArrayList<>();

	private final AtomicBoolean opened = new AtomicBoolean();

	private final DeliveryCounters counters = new DeliveryCounters();

	/**
	 * Counters for direct listeners. Not published, because these are internal to this
	 * library.
	 */
	private final DeliveryCounters directCounters = new DeliveryCounters();

	private final NotificationSource source;

	private final CommandGate gate;

	private final WatchTiming timing;

	private final FailureLog failureLog;

	private final RetryingExecutor executor;

	/**
	 * Runs direct listeners, which never block, on the thread that receives the change.
	 */
	private final RetryingExecutor direct;

	private final StateStoreObservability observability;

	private volatile boolean connected;

	/**
	 * Why notifications cannot arrive on the current connection, {@code null} if they
	 * can.
	 */
	private volatile @Nullable StateStoreException refusal;

	private volatile boolean closed;

	/**
	 * Creates watches with default options, their connection's resources, and no
	 * observations.
	 * @param connection connection that receives the notifications and sends the commands
	 */
	public KeyWatches(StateStoreConnection connection) {
		this(connection, WatchOptions.DEFAULT, null, StateStoreObservability.NONE,
				ConnectionAccess.of(connection).resources());
	}

	/**
	 * Creates watches that share resources, for example with their connection.
	 * @param connection connection that receives the notifications and sends the commands
	 * @param options queue limits, renewal interval, and retry delays
	 * @param executor runs the listeners; not closed; {@code null} for
	 * {@link ClientResources#listeners()}
	 * @param observability observes every listener call
	 * @param resources timer and threads; not closed
	 */
	public KeyWatches(StateStoreConnection connection, WatchOptions options, @Nullable Executor executor,
			StateStoreObservability observability, ClientResources resources) {
		this(new MqttNotificationSource(connection), connection, options, executor, observability, resources);
	}

	KeyWatches(NotificationSource source, CommandInvoker invoker, WatchOptions options, @Nullable Executor executor,
			StateStoreObservability observability, ClientResources resources) {
		this(source, invoker, WatchTiming.of(options, resources),
				(executor != null) ? resources.time().tracked(executor) : resources.listeners(), observability);
	}

	/** Creates watches with virtual time, for tests. */
	KeyWatches(NotificationSource source, CommandInvoker invoker, WatchTiming timing, Executor executor) {
		this(source, invoker, timing, executor, StateStoreObservability.NONE);
	}

	private KeyWatches(NotificationSource source, CommandInvoker invoker, WatchTiming timing, Executor executor,
			StateStoreObservability observability) {
		this.source = source;
		this.gate = new CommandGate(invoker);
		this.timing = timing.withCondition(() -> !this.closed);
		this.failureLog = new FailureLog(this.timing.timer());
		this.executor = new RetryingExecutor(executor, this.timing.timer());
		this.direct = new RetryingExecutor(Runnable::run, this.timing.timer());
		this.observability = observability;
	}

	@Override
	public KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
		if (!this.source.isWatchable(key.bytes())) {
			throw new IllegalArgumentException("A key of " + key.bytes().length()
					+ " bytes cannot be watched: the topic of its notifications would be too long. Use keys of at most "
					+ Topics.MAX_WATCHABLE_KEY_LENGTH + " bytes, fewer with a long client id");
		}
		open(key);
		DefaultKeyWatch watch = add(key, settings, Reason.KEY, newQueue(settings, listener));
		watch.watched().attach(watch, () -> this.connected);
		return started(key, watch);
	}

	@Override
	public KeyWatch watchPattern(Bytes pattern, Settings settings, KeyChangeListener<Bytes> listener) {
		Key name = Key.of(pattern);
		open(name);
		WatchedPattern watched = new WatchedPattern(pattern, settings, this.gate, this.failureLog, this.timing,
				() -> this.patterns.removeIf(WatchedKey::isUnused),
				(key, child, reason) -> add(key, child, reason, newQueue(child, listener)), () -> this.connected,
				this::isLast);
		DefaultKeyWatch watch = new DefaultKeyWatch(watched, settings, Reason.KEY, newQueue(settings, listener),
				this.source::isConnected, this.timing.time());
		watched.add(watch);
		this.patterns.add(watched);
		watched.attach(watch, () -> this.connected);
		return started(name, watch);
	}

	private void open(Key key) {
		if (this.closed) {
			throw closed(key);
		}
		if (this.opened.compareAndSet(false, true)) {
			this.source.open(new Events());
		}
	}

	private DeliveryQueue newQueue(Settings settings, KeyChangeListener<Bytes> listener) {
		return new DeliveryQueue(settings.id(), settings.direct() ? this.direct : this.executor,
				this.timing.options().queueLimit(), settings.direct() ? this.directCounters : this.counters,
				new ListenerInvoker(settings, listener, this.observability));
	}

	private KeyWatch started(Key key, DefaultKeyWatch watch) {
		if (this.closed) {
			// Another thread closed this object and may have missed this watch.
			watch.close();
			this.source.close();
			throw closed(key);
		}
		StateStoreException refusal = this.refusal;
		if (refusal != null) {
			watch.refused(refusal);
		}
		return watch;
	}

	private static IllegalStateException closed(Key key) {
		return new IllegalStateException("Key " + key + " cannot be watched: the KeyWatches are closed");
	}

	/** Adds a listener for a key. The caller must attach it. */
	private DefaultKeyWatch add(Key key, Settings settings, Reason reason, DeliveryQueue queue) {
		AtomicReference<DefaultKeyWatch> added = new AtomicReference<>();
		// Add within compute, so that the key stays even if another thread is removing
		// its last listener.
		this.keys.compute(key.bytes(), (bytes, existing) -> {
			WatchedKey present = (existing != null) ? existing
					: new WatchedKey(key, this.gate, this.failureLog, this.timing, () -> removeIfUnused(bytes));
			DefaultKeyWatch watch = new DefaultKeyWatch(present, settings, reason, queue, this.source::isConnected,
					this.timing.time());
			present.add(watch);
			added.set(watch);
			return present;
		});
		return Objects.requireNonNull(added.get());
	}

	/**
	 * Returns whether no other open watch has the same pattern. If one does, PNOTIFY STOP
	 * would end it, too.
	 */
	private boolean isLast(WatchedPattern pattern) {
		return this.patterns.stream()
			.noneMatch((each) -> each != pattern && each.text().equals(pattern.text()) && !each.watches().isEmpty());
	}

	/** Watches a key for all selected patterns that match it. */
	private void discover(Bytes key, Reason reason, Predicate<WatchedPattern> selected) {
		if (!this.patterns.isEmpty() && this.source.isWatchable(key)) {
			for (WatchedPattern pattern : this.patterns) {
				if (selected.test(pattern) && pattern.matches(key)) {
					pattern.discover(key, reason);
				}
			}
		}
	}

	/** Returns the watched key, if any, whose listeners may ignore local writes. */
	private @Nullable WatchedKey tracked(Bytes key) {
		discover(key, Reason.CHANGED, (pattern) -> pattern.ignoresLocalWrites() && pattern.isActive());
		return this.keys.get(key);
	}

	private void removeIfUnused(Bytes bytes) {
		this.keys.computeIfPresent(bytes, (key, watched) -> watched.isUnused() ? null : watched);
	}

	@Override
	public CommandInvoker tracking(CommandInvoker invoker) {
		return new LocalWriteTracker(invoker, this::tracked);
	}

	/**
	 * Returns whether changes of a key are expected to arrive.
	 * @param key the key
	 * @return {@code true} if the key is watched and the watch is active
	 */
	public boolean isActive(Key key) {
		WatchedKey watched = this.keys.get(key.bytes());
		return watched != null && watched.isActive();
	}

	/**
	 * Returns the number of watched keys, and counts of changes for their listeners.
	 * @return a snapshot of the statistics
	 */
	public Statistics statistics() {
		return new Statistics(watchedKeys(), this.counters.delivered.sum(), this.counters.resynchronized.sum(),
				this.counters.behind.sum(), this.counters.dropped.sum());
	}

	/**
	 * Returns the status of all watched keys, including lock keys. Does not access the
	 * store.
	 * @return a snapshot, in no particular order
	 */
	public List<Status> watches() {
		return this.keys.values()
			.stream()
			.filter((watched) -> !watched.isUnused())
			.map((watched) -> new Status(watched.key(), watched.isActive(), watched.version(), watched.listeners()))
			.toList();
	}

	/** Returns the number of keys with listeners or with a watch in the store. */
	int watchedKeys() {
		return this.keys.size();
	}

	/**
	 * Closes all watches and refuses new watches. Running listener calls continue. Can be
	 * called repeatedly.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.source.close();
		this.patterns.forEach((watched) -> watched.watches().forEach(DefaultKeyWatch::close));
		this.keys.values().forEach((watched) -> watched.watches().forEach(DefaultKeyWatch::close));
	}

	/**
	 * Statistics of a client's watches and their changes since the start. The numbers are
	 * read while changes are delivered, so they may be slightly inconsistent. Lock
	 * watches count only as watched keys.
	 *
	 * @param watchedKeys current number of watched keys, each counted once
	 * @param delivered changes passed to listeners, including resynchronized changes
	 * @param resynchronized delivered changes marked as resynchronized, including initial
	 * values
	 * @param behind current number of changes waiting for their listeners
	 * @param dropped changes that a later change has replaced because a queue was full
	 */
	public record Statistics(int watchedKeys, long delivered, long resynchronized, long behind, long dropped) {
	}

	/**
	 * Snapshot of a watched key's status.
	 *
	 * @param key the key
	 * @param active whether changes of the key are expected to arrive
	 * @param version version of the last known value or deletion, {@code null} if unknown
	 * @param listeners names of the listeners
	 */
	public record Status(Key key, boolean active, @Nullable Version version, List<String> listeners) {
	}

	/** Passes the connection's events to the keys that they affect. */
	private final class Events implements NotificationSource.Handler {

		@Override
		public void connected() {
			KeyWatches.this.refusal = null;
			KeyWatches.this.connected = true;
			KeyWatches.this.gate.clear();
			all(WatchedKey::connected);
		}

		@Override
		public void disconnected() {
			KeyWatches.this.connected = false;
			KeyWatches.this.refusal = null;
			KeyWatches.this.gate.clear();
			all(WatchedKey::disconnected);
		}

		@Override
		public void refused(StateStoreException reason) {
			KeyWatches.this.refusal = reason;
			all((watched) -> watched.refused(reason));
		}

		@Override
		public void changed(KeyChange<Bytes> change) {
			discover(change.key().bytes(), Reason.CHANGED, (pattern) -> true);
			at(change.key().bytes(), (watched) -> watched.changed(change));
		}

		@Override
		public void unreadable(Bytes key) {
			discover(key, Reason.FOUND, (pattern) -> true);
			at(key, WatchedKey::unreadable);
		}

		private void all(Consumer<WatchedKey> action) {
			KeyWatches.this.keys.values().forEach(action);
			KeyWatches.this.patterns.forEach(action);
		}

		private void at(Bytes key, Consumer<WatchedKey> action) {
			WatchedKey watched = KeyWatches.this.keys.get(key);
			if (watched != null) {
				action.accept(watched);
			}
		}

	}

}
