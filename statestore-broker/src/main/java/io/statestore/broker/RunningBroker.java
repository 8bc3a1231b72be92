package io.statestore.broker;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.StateStoreStatistics;

/** The running parts of a {@link StateStoreBroker}. Thread-safe. */
interface RunningBroker extends AutoCloseable {

	/** Returns the port on which the broker listens. */
	int port();

	/** Returns a snapshot of the statistics. Never blocks. */
	StateStoreStatistics statistics();

	/** Returns the state of the directory, empty if there is none. Never blocks. */
	Optional<DurabilityStatistics> durability();

	/** Returns whether clients that connect now are served, by this node or another. */
	boolean isReady();

	/** Returns the cluster node, empty if the broker is not part of a cluster. */
	Optional<ClusterNode> node();

	/**
	 * Returns a future that completes with the failure that stopped the broker, on a
	 * separate thread.
	 */
	CompletableFuture<Throwable> failure();

	/**
	 * Ends all connections immediately and stops listening, without waiting.
	 * @param stopped runs once the broker no longer listens
	 */
	void abort(Runnable stopped);

	/** Disconnects all clients and stops. Later calls have no effect. */
	@Override
	void close();

}
