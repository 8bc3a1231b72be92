package io.statestore.broker.server;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;

/**
 * An administrator's operations on a cluster. Thread-safe. No method waits for other
 * nodes or for a disk.
 * <p>
 * Internal: not part of the API.
 */
public interface ClusterOperations {

	/**
	 * Returns the state of this node.
	 * @return the state, except for data that only the leader knows
	 */
	ClusterNodeState state();

	/**
	 * Returns the state of all members that this node knows.
	 * @return completes within seconds, even if members do not answer
	 */
	CompletableFuture<List<ClusterNodeState>> states();

	/**
	 * Changes the members or the leader.
	 * @param request the change
	 * @return completes once the change has been made. Completes exceptionally with an
	 * {@link IllegalStateException} if the request can be repeated later: this node does
	 * not lead, leadership must move first, or another change is in progress. Every
	 * message explains how to fix the problem
	 */
	CompletableFuture<Void> change(ClusterRequest request);

}
