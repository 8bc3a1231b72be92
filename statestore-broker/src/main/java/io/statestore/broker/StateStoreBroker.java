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
 * A state store inside a complete MQTT 5 broker, which runs in this JVM. All clients use
 * TCP, including those in the same JVM. The broker also serves ordinary MQTT messages. By
 * default, all data is in memory, and is lost on {@link #close()}. With
 * {@link StateStoreBrokerBuilder#storage(StorageOptions) storage}, it is in a directory.
 * <p>
 * Thread-safe. Several brokers can run in one JVM. The broker does not change the logging
 * configuration of the application.
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
	 * Returns a builder with the defaults: a free port on localhost, without a login.
	 * @return a new builder
	 */
	public static StateStoreBrokerBuilder builder() {
		return new StateStoreBrokerBuilder();
	}

	/**
	 * Returns the configured host.
	 * @return name or address of the host
	 */
	public String host() {
		return this.host;
	}

	/**
	 * Returns the port on which this broker listens. If port 0 was configured, it is the
	 * port that the operating system selected.
	 * @return the TCP port
	 */
	public int port() {
		return this.running.port();
	}

	/**
	 * Returns a description of the clients that may connect, for a log.
	 * @return a phrase, such as "anonymous clients on this machine only"
	 */
	public String access() {
		return this.access;
	}

	/**
	 * Returns the error that ended this broker, such as exhausted memory. After an error,
	 * the broker accepts no clients, because its store may be inconsistent. Close it and
	 * start another one.
	 * @return the error, empty while the broker is healthy or after a normal close
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
	 * Returns whether clients that connect now are served. A node of a cluster is ready
	 * while it leads, and while it can forward clients to the leader. Never blocks.
	 * @return {@code true} for any other broker, until it fails or is closed
	 */
	public boolean isReady() {
		return this.running.isReady();
	}

	/**
	 * Returns the leader of the cluster, as this broker knows it. Never blocks.
	 * @return a snapshot, empty if this broker is no node of a cluster
	 */
	public Optional<Leadership> leadership() {
		return this.running.node().map(ClusterNode::leadership);
	}

	/**
	 * Returns the state of this broker as a node of its cluster. Never waits for other
	 * nodes or for a disk.
	 * @return a snapshot, empty if this broker is no node of a cluster
	 */
	public Optional<ClusterNodeState> clusterState() {
		return this.running.node().map(ClusterNode::state);
	}

	/**
	 * Asks another node of the cluster to lead, for example before a restart of this one.
	 * Returns at once; the change follows within the election timeout, or not at all.
	 * @param node name of the other node
	 * @throws IllegalArgumentException if no peer has the name
	 * @throws IllegalStateException if this broker does not lead a cluster, or the other
	 * node is no member
	 */
	public void transferLeadership(String node) {
		this.running.node()
			.orElseThrow(() -> new IllegalStateException("This broker is no node of a cluster"))
			.transferLeadership(node);
	}

	/**
	 * Returns a future that completes when this broker has stopped: normally after
	 * {@link #close()}, exceptionally with the {@link #failure()}.
	 * @return a copy. Completing or canceling it has no effect on this broker.
	 */
	public CompletableFuture<Void> stopped() {
		return this.stopped.copy();
	}

	/**
	 * Disconnects all clients with the reason code 0x8B, Server shutting down, and stops.
	 * Takes well under a second. After that, the port is free. Data in memory is lost,
	 * and a directory can be used by another broker. Has no effect the second time.
	 * <p>
	 * A node of a cluster lets another node lead first, which takes up to a few seconds,
	 * and waits for a snapshot that is being written for up to a minute. Its clients get
	 * the reason code 0x9C, Use another server.
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
