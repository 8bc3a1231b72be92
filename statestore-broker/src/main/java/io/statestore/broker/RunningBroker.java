package io.statestore.broker;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.StateStoreStatistics;

/** Parts behind a {@link StateStoreBroker}. Thread-safe. */
interface RunningBroker extends AutoCloseable {

	/** Returns the port on which it listens. */
	int port();

	/** Returns a snapshot of the statistics. Never blocks. */
	StateStoreStatistics statistics();

	/** Returns the state of the directory, empty without one. Never blocks. */
	Optional<DurabilityStatistics> durability();

	/** Returns whether clients that connect now are served, here or by another node. */
	boolean isReady();

	/** Returns the node of a cluster, empty without one. */
	Optional<ClusterNode> node();

	/**
	 * Returns a future that completes with the failure that made it stop, on a thread of
	 * its own.
	 */
	CompletableFuture<Throwable> failure();

	/**
	 * Ends all connections at once and stops listening, without waiting.
	 * @param stopped runs when it no longer listens
	 */
	void abort(Runnable stopped);

	/** Disconnects all clients and stops. Has no effect the second time. */
	@Override
	void close();

}
