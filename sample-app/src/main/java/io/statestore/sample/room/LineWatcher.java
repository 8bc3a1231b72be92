package io.statestore.sample.room;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
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
 * Watches all keys of the store, and updates the {@link Line}. A watch is for one key
 * (docs/listeners.md), so new keys are found by a scan every second.
 */
@Component
class LineWatcher implements ConnectionListener {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Version UNKNOWN = new Version(0, 0, "unknown");

	private static final Logger logger = LoggerFactory.getLogger(LineWatcher.class);

	private final Map<Key, KeyWatch> watches = new ConcurrentHashMap<>();

	private final StateStoreOperations store;

	private final Line line;

	LineWatcher(StateStoreOperations store, StateStoreConnection connection, Line line) {
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
			this.watches.keySet().stream().filter((key) -> !keys.contains(key)).toList().forEach(this::close);
			keys.forEach((key) -> this.watches.computeIfAbsent(key, this::watch));
		}
		catch (StateStoreException ex) {
			logger.debug("Could not watch all keys; retrying in 1 s", ex);
		}
	}

	private KeyWatch watch(Key key) {
		return this.store.watch(key, Bytes.class, (spec) -> spec.id("control-room").initial(), this.line::changed);
	}

	/**
	 * Ends the watch of a key that has been deleted, and reports the deletion, of which
	 * the watch may not have been notified yet.
	 */
	private void close(Key key) {
		KeyWatch watch = this.watches.remove(key);
		if (watch != null) {
			watch.closeAsync().thenRun(() -> reportDeletion(key));
		}
	}

	/** A key that was created again in the meantime has a new watch. */
	private void reportDeletion(Key key) {
		if (!this.watches.containsKey(key)) {
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
