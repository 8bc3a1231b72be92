package io.statestore.broker.cluster;

import java.util.ServiceLoader;

import io.statestore.broker.log.LogException;
import io.statestore.broker.server.Replica;

/**
 * Consensus of several nodes, found by {@link ServiceLoader}. The module
 * {@code statestore-cluster} contains one.
 * <p>
 * Internal: not part of the API.
 */
public interface ClusterProvider {

	/**
	 * Returns the provider on the class path.
	 * @return the first provider
	 * @throws IllegalStateException if there is none
	 */
	static ClusterProvider find() {
		return ServiceLoader.load(ClusterProvider.class, ClusterProvider.class.getClassLoader())
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("A cluster requires the consensus of another module; "
					+ "add the dependency io.statestore:statestore-cluster"));
	}

	/**
	 * Starts a node. Returns while it may still have no leader.
	 * @param options the options
	 * @param replica the copy of the store on this node
	 * @param events receives the changes of leadership
	 * @return a started node, which does not close the replica
	 * @throws IllegalStateException if the node cannot start. The message names the
	 * reason and the next step
	 * @throws LogException if the directory cannot be used, or a file is damaged. The
	 * message names the file and the next step
	 */
	ClusterNode start(ClusterOptions options, Replica replica, NodeEvents events);

}
