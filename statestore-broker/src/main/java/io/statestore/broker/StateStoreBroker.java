package io.statestore.broker;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.cluster.Leadership;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.ClusterNodeState;
import org.jspecify.annotations.Nullable;

/**
 * A state store inside a complete MQTT 5 broker that runs in this JVM. All clients use
 * TCP, including clients in the same JVM. The broker also delivers ordinary MQTT
 * messages. By default, all data is kept in memory and is lost on {@link #close()}. With
 * {@link StateStoreBrokerBuilder#storage(StorageOptions) storage}, it is kept in a
 * directory.
 * <p>
 * Thread-safe. Several brokers can run in one JVM. The broker does not change the
 * application's logging configuration.
 *
 * <pre>{@code
 * try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
 *     connectTo(broker.host(), broker.port());
 * }
 * }</pre>
 */
public final class StateStoreBroker implements AutoCloseable {

	private final String host;

	private final String access;

	private final RunningBroker running;

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	private volatile @Nullable Throwable failure;

	StateStoreBroker(MqttBrokerSettings settings, RunningBroker running) {
		this.host = settings.host();
		this.access = AccessDescription.of(settings.security(), settings.network().tls());
		this.running = running;
		running.failure().thenAccept(this::failed);
	}

	private void failed(Throwable failure) {
		this.failure = failure;
		try {
			this.running.abort(() -> this.stopped.completeExceptionally(failure));
		}
		catch (RuntimeException | Error ex) {
			// Too little memory may be left to close the connections.
			this.stopped.completeExceptionally(failure);
		}
	}

	/**
	 * Returns a builder with the default settings: a free port on localhost, and no
	 * login.
	 * @return a new builder
	 */
	public static StateStoreBrokerBuilder builder() {
		return new StateStoreBrokerBuilder();
	}

	/**
	 * Returns the configured host.
	 * @return the host's name or address
	 */
	public String host() {
		return this.host;
	}

	/**
	 * Returns the port on which this broker listens. If port 0 was configured, this is
	 * the port that the operating system selected.
	 * @return the TCP port
	 */
	public int port() {
		return this.running.port();
	}

	/**
	 * Describes which clients may connect, for a log.
	 * @return a phrase, such as "anonymous clients on this machine only"
	 */
	public String access() {
		return this.access;
	}

	/**
	 * Returns the error that stopped this broker, such as exhausted memory. After an
	 * error, the broker does not accept clients, because its store may be inconsistent.
	 * Close it and start a new broker.
	 * @return the error, empty if there is none, even after a normal close
	 */
	public Optional<Throwable> failure() {
		return Optional.ofNullable(this.failure);
	}

	/**
	 * Returns the memory in use, the limits, and the number of refusals. Never blocks,
	 * even after a failure or {@link #close()}.
	 * @return a snapshot
	 */
	public StateStoreStatistics statistics() {
		return this.running.statistics();
	}

	/**
	 * Returns the state of this broker's directory, mostly of its command log. Never
	 * blocks, even after a failure or {@link #close()}.
	 * @return a snapshot, empty if the data is kept in memory only
	 */
	public Optional<DurabilityStatistics> durability() {
		return this.running.durability();
	}

	/**
	 * Returns whether clients that connect now are served. Any broker is ready until it
	 * fails or is closed; a cluster node must also lead, or be able to forward clients to
	 * the leader. Never blocks.
	 * @return whether the broker is ready
	 */
	public boolean isReady() {
		return this.running.isReady();
	}

	/**
	 * Returns the cluster's leader as known to this broker. Never blocks.
	 * @return a snapshot, empty if this broker is not a cluster node
	 */
	public Optional<Leadership> leadership() {
		return this.running.node().map(ClusterNode::leadership);
	}

	/**
	 * Returns the state of this broker as a cluster node. Never waits for other nodes or
	 * for a disk.
	 * @return a snapshot, empty if this broker is not a cluster node
	 */
	public Optional<ClusterNodeState> clusterState() {
		return this.running.node().map(ClusterNode::state);
	}

	/**
	 * Asks another cluster node to lead, for example before this node is restarted.
	 * Returns immediately; the change follows within the election timeout, or not at all.
	 * @param node name of the other node
	 * @throws IllegalArgumentException if no peer has this name
	 * @throws IllegalStateException if this broker does not lead a cluster, or the other
	 * node is not a member
	 */
	public void transferLeadership(String node) {
		this.running.node()
			.orElseThrow(() -> new IllegalStateException("This broker is not a node of a cluster"))
			.transferLeadership(node);
	}

	/**
	 * Returns a future that completes when this broker has stopped: normally after
	 * {@link #close()}, exceptionally with the {@link #failure()}.
	 * @return a copy of the future; completing or canceling it has no effect on this
	 * broker
	 */
	public CompletableFuture<Void> stopped() {
		return this.stopped.copy();
	}

	/**
	 * Disconnects all clients with reason code 0x8B, Server shutting down, and stops.
	 * Takes well under a second. Afterward, the port is free. Data in memory is lost; a
	 * directory can be used by another broker. Later calls have no effect.
	 * <p>
	 * A cluster node first lets another node lead, which takes up to a few seconds, and
	 * waits up to a minute for a snapshot in progress. Its clients receive reason code
	 * 0x9C, Use another server.
	 */
	@Override
	public void close() {
		this.running.close();
		this.stopped.complete(null);
	}

	@Override
	public String toString() {
		return "StateStoreBroker[" + this.host + ':' + port() + ']';
	}

}
