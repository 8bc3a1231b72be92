package io.statestore.sample.room;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Watches all keys in the store and updates the {@link Line}. A watch covers only one key
 * (docs/listeners.md), so a scan every second finds new keys. With three brokers, also
 * requests their roles, as {@code statestore cluster status} does.
 */
@Component
class LineWatcher implements ConnectionListener {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Logger logger = LoggerFactory.getLogger(LineWatcher.class);

	private final Map<Key, KeyWatch> watches = new ConcurrentHashMap<>();

	private final StateStoreOperations store;

	private final StateStoreConnection connection;

	private final Line line;

	private final Brokers brokers;

	private @Nullable AdministrationClient administration;

	private CompletableFuture<Void> roles = CompletableFuture.completedFuture(null);

	LineWatcher(StateStoreOperations store, StateStoreConnection connection, Line line, Brokers brokers) {
		this.store = store.withTimeout(TIMEOUT);
		this.connection = connection;
		this.line = line;
		this.brokers = brokers;
		connection.addListener(this);
	}

	@Scheduled(fixedDelay = 1000)
	void scan() {
		try {
			Set<Key> keys = new HashSet<>();
			this.store.scan("*").forEach(keys::add);
			List.of(Line.LEADER, Line.BATCH, Line.REJECTED, Line.SETPOINT).forEach((key) -> keys.add(Key.of(key)));
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
	 * Ends the watch for a deleted key and reports the deletion, of which the watch might
	 * not have been notified yet.
	 */
	private void close(Key key) {
		KeyWatch watch = this.watches.remove(key);
		if (watch != null) {
			watch.closeAsync().thenRun(() -> reportDeletion(key));
		}
	}

	/**
	 * Reports a deletion, unless the key was created again in the meantime and has a new
	 * watch.
	 */
	private void reportDeletion(Key key) {
		if (!this.watches.containsKey(key)) {
			this.line.changed(new KeyChange<>(key, Operation.DELETE, null, new Version(0, 0, "unknown"), true));
		}
	}

	/** Requests the brokers' roles, unless the previous request is still unanswered. */
	@Scheduled(fixedDelay = 250)
	void requestRoles() {
		if (this.brokers.isCluster() && this.administration == null) {
			this.administration = new AdministrationClient(this.connection);
		}
		if (this.administration != null && this.roles.isDone()) {
			this.roles = this.administration.nodes(Duration.ofSeconds(1))
				.exceptionally((failure) -> List.of())
				.thenAccept(this.brokers::status);
		}
	}

	@Override
	public void connected(boolean reconnect) {
		this.line.available(true);
		if (reconnect) {
			this.line.log(Line.CHANGE,
					this.brokers.isCluster() ? "The store is connected again." : "The broker is back.");
		}
	}

	@Override
	public void disconnected(String cause) {
		this.line.available(false);
		this.brokers.status(List.of());
		this.line.log(Line.FAILURE,
				this.brokers.isCluster() ? "No connection to the store." : "The broker is offline.");
	}

}
