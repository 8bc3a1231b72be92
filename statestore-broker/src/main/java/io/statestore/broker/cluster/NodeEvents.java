package io.statestore.broker.cluster;

import io.statestore.broker.server.ReplicatedLog;
import org.jspecify.annotations.Nullable;

/**
 * Listener of a node. The consensus calls it on its own threads, and waits for it.
 * <p>
 * Internal: not part of the API.
 */
public interface NodeEvents {

	/**
	 * Called when this node has become the leader, and has applied all entries of earlier
	 * leaders.
	 * @param log appends to the log while this node leads
	 */
	void leading(ReplicatedLog log);

	/**
	 * Called when this node is no longer the leader. Must end the server before it
	 * returns, but need not wait for connections.
	 */
	void following();

	/**
	 * Called when this node has failed, and takes part in the cluster no longer.
	 * @param failure the reason
	 */
	void failed(Throwable failure);

	/**
	 * Returns what serves the clients of other nodes. Called on a network thread for
	 * each.
	 * @return the target, {@code null} if this node does not serve clients
	 */
	@Nullable StreamTarget streamTarget();

}
