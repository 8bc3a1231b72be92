package io.statestore.client.observation;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * All observed keys of one connection. Passes the events of the connection on to the keys
 * they concern, and removes keys that have no listener and no observation in the store.
 * Safe for use by several threads.
 */
final class ObservedKeys implements NotificationSource.Handler {

	private final Map<Bytes, ObservedKey> keys = new ConcurrentHashMap<>();

	private final NotificationSource source;

	private final CommandGate gate;

	private final FailureLog failureLog;

	private final ObservationTiming timing;

	private volatile boolean connected;

	/** Reason why notifications cannot arrive on the present connection. */
	private volatile @Nullable StateStoreException refusal;

	ObservedKeys(NotificationSource source, CommandGate gate, ObservationTiming timing) {
		this.source = source;
		this.gate = gate;
		this.failureLog = new FailureLog(timing.timer());
		this.timing = timing;
	}

	/** Adds a listener and begins to observe its key. */
	DefaultKeyObservation add(Key key, Settings settings, DeliveryQueue queue) {
		AtomicReference<DefaultKeyObservation> added = new AtomicReference<>();
		AtomicBoolean isNew = new AtomicBoolean();
		// Added within compute, so that a key whose last listener is being removed by
		// another thread stays.
		ObservedKey observed = this.keys.compute(key.bytes(), (bytes, existing) -> {
			isNew.set(existing == null);
			ObservedKey present = (existing != null) ? existing
					: new ObservedKey(key, this.gate, this.failureLog, this.timing, () -> removeIfUnused(bytes));
			DefaultKeyObservation observation = new DefaultKeyObservation(present, settings, queue,
					this.source::isConnected, this.timing.time());
			present.add(observation);
			added.set(observation);
			return present;
		});
		if (isNew.get()) {
			observed.submit((machine) -> {
				// Read within the event, because a disconnect is an event too.
				if (this.connected) {
					machine.connected();
				}
			});
		}
		DefaultKeyObservation observation = Objects.requireNonNull(added.get());
		observation.attach();
		return observation;
	}

	private void removeIfUnused(Bytes bytes) {
		this.keys.computeIfPresent(bytes, (key, observed) -> observed.isUnused() ? null : observed);
	}

	@Nullable ObservedKey find(Bytes key) {
		return this.keys.get(key);
	}

	List<ObservationStatus> statuses() {
		return this.keys.values().stream().filter((observed) -> !observed.isUnused()).map(ObservedKey::status).toList();
	}

	/** Returns the number of keys with listeners or with an observation in the store. */
	int size() {
		return this.keys.size();
	}

	@Nullable StateStoreException refusal() {
		return this.refusal;
	}

	/** Closes all observations. */
	void close() {
		this.keys.values().forEach((observed) -> observed.observations().forEach(DefaultKeyObservation::close));
	}

	@Override
	public void connected() {
		this.refusal = null;
		this.connected = true;
		this.gate.clear();
		all((observed) -> observed.submit(KeyMachine::connected));
	}

	@Override
	public void disconnected() {
		this.connected = false;
		this.refusal = null;
		this.gate.clear();
		all((observed) -> observed.submit(KeyMachine::disconnected));
	}

	@Override
	public void refused(StateStoreException reason) {
		this.refusal = reason;
		all((observed) -> observed.refused(reason));
	}

	@Override
	public void changed(KeyChange<Bytes> change) {
		ObservedKey observed = find(change.key().bytes());
		if (observed != null) {
			observed.submit((machine) -> machine.changed(change));
		}
	}

	@Override
	public void unreadable(Bytes key) {
		ObservedKey observed = find(key);
		if (observed != null) {
			observed.submit(KeyMachine::unreadable);
		}
	}

	private void all(Consumer<ObservedKey> action) {
		this.keys.values().forEach(action);
	}

}
