package io.statestore.broker.server;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;

/**
 * What an administrator can do with a cluster. Thread-safe. No method waits, neither for
 * other nodes nor for a disk.
 * <p>
 * Internal: not part of the API.
 */
public interface ClusterOperations {

	/**
	 * Returns the state of this node.
	 * @return the state, without what only the leader knows
	 */
	ClusterNodeState state();

	/**
	 * Returns the state of all members, as this node knows them.
	 * @return completes within seconds, also if members do not answer
	 */
	CompletableFuture<List<ClusterNodeState>> states();

	/**
	 * Returns the members that do not answer, or cannot read all entries of this version.
	 * @return completes within seconds with their addresses, or exceptionally if this
	 * node knows no members
	 */
	default CompletableFuture<List<String>> nodesToUpgrade() {
		return states().thenApply((states) -> {
			if (states.isEmpty()) {
				throw new IllegalStateException("This node knows no members");
			}
			return states.stream()
				.filter((state) -> state.entryFormat() < LogEntryCodec.FORMAT)
				.map(ClusterNodeState::address)
				.toList();
		});
	}

	/**
	 * Changes the members or the leader.
	 * @param request the change
	 * @return completes when the change is made. Completes exceptionally with an
	 * {@link IllegalStateException} if the request can be repeated later: this node does
	 * not lead, leadership has to move first, or another change is under way. Every
	 * message names the next step
	 */
	CompletableFuture<Void> change(ClusterRequest request);

}
