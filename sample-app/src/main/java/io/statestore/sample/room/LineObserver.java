package io.statestore.sample.room;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObservation;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import io.statestore.sample.room.LogEntry.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Observes all keys of the store, and updates the {@link Line}. An observation is for one
 * key (docs/listeners.md), so new keys are found by a scan every second.
 */
@Component
class LineObserver implements ConnectionListener {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Version UNKNOWN = new Version(0, 0, "unknown");

	private static final Logger logger = LoggerFactory.getLogger(LineObserver.class);

	private final Map<Key, KeyObservation> observations = new ConcurrentHashMap<>();

	private final StateStoreOperations store;

	private final Line line;

	LineObserver(StateStoreOperations store, StateStoreConnection connection, Line line) {
		this.store = store.withTimeout(TIMEOUT);
		this.line = line;
		connection.addListener(this);
	}

	@Scheduled(fixedDelay = 1000)
	void scan() {
		try {
			Set<Key> keys = new HashSet<>();
			this.store.scan("*").forEach(keys::add);
			LineKeys.ALL.forEach((key) -> keys.add(Key.of(key)));
			this.observations.keySet().stream().filter((key) -> !keys.contains(key)).toList().forEach(this::close);
			keys.forEach((key) -> this.observations.computeIfAbsent(key, this::observe));
		}
		catch (StateStoreException ex) {
			logger.debug("Could not observe all keys; retrying in 1 s", ex);
		}
	}

	private KeyObservation observe(Key key) {
		return this.store.observe(key, Bytes.class, (spec) -> spec.id("control-room").initial(), this.line::changed);
	}

	/**
	 * Ends the observation of a key that has been deleted, and reports the deletion, of
	 * which the observation may not have been notified yet.
	 */
	private void close(Key key) {
		KeyObservation observation = this.observations.remove(key);
		if (observation != null) {
			observation.closeAsync().thenRun(() -> reportDeletion(key));
		}
	}

	/** A key that was created again in the meantime has a new observation. */
	private void reportDeletion(Key key) {
		if (!this.observations.containsKey(key)) {
			this.line.changed(new KeyChange<>(key, Operation.DELETE, null, UNKNOWN, true));
		}
	}

	@Override
	public void connected(boolean reconnect) {
		this.line.brokerAvailable(true);
		if (reconnect) {
			this.line.log(Kind.CHANGE,
					this.line.brokers().isEmpty() ? "The broker is back." : "The store is connected again.");
		}
	}

	@Override
	public void disconnected(String cause) {
		this.line.brokerAvailable(false);
		this.line.log(Kind.FAILURE,
				this.line.brokers().isEmpty() ? "The broker is offline." : "No connection to the store.");
	}

}
