package io.statestore.client.watch;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * All watched keys of one connection. Passes the events of the connection on to the keys
 * they concern, and removes keys that have no listener and no watch in the store. Safe
 * for use by several threads.
 */
final class WatchedKeys implements NotificationSource.Handler {

	private final Map<Bytes, WatchedKey> keys = new ConcurrentHashMap<>();

	private final NotificationSource source;

	private final CommandGate gate;

	private final FailureLog failureLog;

	private final WatchTiming timing;

	private volatile boolean connected;

	/** Reason why notifications cannot arrive on the present connection. */
	private volatile @Nullable StateStoreException refusal;

	WatchedKeys(NotificationSource source, CommandGate gate, WatchTiming timing) {
		this.source = source;
		this.gate = gate;
		this.failureLog = new FailureLog(timing.timer());
		this.timing = timing;
	}

	/** Adds a listener and begins to watch its key. */
	DefaultKeyWatch add(Key key, Settings settings, DeliveryQueue queue) {
		AtomicReference<DefaultKeyWatch> added = new AtomicReference<>();
		AtomicBoolean isNew = new AtomicBoolean();
		// Added within compute, so that a key whose last listener is being removed by
		// another thread stays.
		WatchedKey watched = this.keys.compute(key.bytes(), (bytes, existing) -> {
			isNew.set(existing == null);
			WatchedKey present = (existing != null) ? existing
					: new WatchedKey(key, this.gate, this.failureLog, this.timing, () -> removeIfUnused(bytes));
			DefaultKeyWatch watch = new DefaultKeyWatch(present, settings, queue, this.source::isConnected,
					this.timing.time());
			present.add(watch);
			added.set(watch);
			return present;
		});
		if (isNew.get()) {
			watched.submit((machine) -> {
				// Read within the event, because a disconnect is an event too.
				if (this.connected) {
					machine.connected();
				}
			});
		}
		DefaultKeyWatch watch = Objects.requireNonNull(added.get());
		watch.attach();
		return watch;
	}

	private void removeIfUnused(Bytes bytes) {
		this.keys.computeIfPresent(bytes, (key, watched) -> watched.isUnused() ? null : watched);
	}

	@Nullable WatchedKey find(Bytes key) {
		return this.keys.get(key);
	}

	Stream<WatchedKey> inUse() {
		return this.keys.values().stream().filter((watched) -> !watched.isUnused());
	}

	/** Returns the number of keys with listeners or with a watch in the store. */
	int size() {
		return this.keys.size();
	}

	@Nullable StateStoreException refusal() {
		return this.refusal;
	}

	/** Closes all watches. */
	void close() {
		this.keys.values().forEach((watched) -> watched.watches().forEach(DefaultKeyWatch::close));
	}

	@Override
	public void connected() {
		this.refusal = null;
		this.connected = true;
		this.gate.clear();
		all((watched) -> watched.submit(KeyMachine::connected));
	}

	@Override
	public void disconnected() {
		this.connected = false;
		this.refusal = null;
		this.gate.clear();
		all((watched) -> watched.submit(KeyMachine::disconnected));
	}

	@Override
	public void refused(StateStoreException reason) {
		this.refusal = reason;
		all((watched) -> watched.refused(reason));
	}

	@Override
	public void changed(KeyChange<Bytes> change) {
		WatchedKey watched = find(change.key().bytes());
		if (watched != null) {
			watched.submit((machine) -> machine.changed(change));
		}
	}

	@Override
	public void unreadable(Bytes key) {
		WatchedKey watched = find(key);
		if (watched != null) {
			watched.submit(KeyMachine::unreadable);
		}
	}

	private void all(Consumer<WatchedKey> action) {
		this.keys.values().forEach(action);
	}

}
