package io.statestore.broker.cluster;

import io.statestore.broker.server.ReplicatedLog;
import org.jspecify.annotations.Nullable;

/**
 * Listener for a node's events. The consensus calls it on its own threads and waits until
 * it returns.
 * <p>
 * Internal: not part of the API.
 */
public interface NodeEvents {

	/**
	 * Called when this node has become the leader and has applied all entries from
	 * earlier leaders.
	 * @param log appends to the log while this node leads
	 */
	void leading(ReplicatedLog log);

	/**
	 * Called when this node is no longer the leader. Must stop the server before it
	 * returns, but does not have to wait for connections.
	 */
	void following();

	/**
	 * Called when this node has failed and no longer takes part in the cluster.
	 * @param failure why the node failed
	 */
	void failed(Throwable failure);

	/**
	 * Returns the target that serves clients forwarded by other nodes. Called on a
	 * network thread for each client.
	 * @return the target, {@code null} if this node does not serve clients
	 */
	@Nullable StreamTarget streamTarget();

}
