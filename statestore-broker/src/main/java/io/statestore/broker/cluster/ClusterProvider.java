package io.statestore.broker.cluster;

import java.util.ServiceLoader;

import io.statestore.broker.log.LogException;
import io.statestore.broker.server.Replica;

/**
 * Provides the consensus between several nodes. Found by {@link ServiceLoader}; the
 * {@code statestore-cluster} module contains a provider.
 * <p>
 * Internal: not part of the API.
 */
public interface ClusterProvider {

	/**
	 * Returns the provider on the class path.
	 * @return the first provider
	 * @throws IllegalStateException if there is no provider
	 */
	static ClusterProvider find() {
		return ServiceLoader.load(ClusterProvider.class, ClusterProvider.class.getClassLoader())
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("A cluster requires the consensus of another module; "
					+ "add the dependency io.statestore:statestore-cluster"));
	}

	/**
	 * Starts a node. The cluster might not have a leader yet when this method returns.
	 * @param options the node's options
	 * @param replica this node's copy of the store
	 * @param events receives leadership changes
	 * @return the started node, which does not close the replica
	 * @throws IllegalStateException if the node cannot start. The message states the
	 * reason and explains how to fix the problem
	 * @throws LogException if the directory cannot be used, or a file is damaged. The
	 * message names the file and explains how to fix the problem
	 */
	ClusterNode start(ClusterOptions options, Replica replica, NodeEvents events);

}
