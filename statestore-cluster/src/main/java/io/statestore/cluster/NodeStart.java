package io.statestore.cluster;

import java.util.List;

import io.statestore.broker.cluster.ClusterOptions.InitialState;

/**
 * What a node does if its directory is empty. A node that lost its directory has
 * forgotten its vote, and must not vote again in the same cluster. So an empty directory
 * needs an explicit decision.
 *
 * @param state the decision
 * @param members members of a new cluster, or otherwise the nodes that may be members, as
 * far as they are known
 */
public record NodeStart(InitialState state, List<Member> members) {

	/** Checks the members. */
	public NodeStart {
		members = List.copyOf(members);
		if (state == InitialState.NEW_CLUSTER && members.isEmpty()) {
			throw new IllegalArgumentException("A new cluster needs members");
		}
		if (members.stream().distinct().count() < members.size()) {
			throw new IllegalArgumentException("Two members of the cluster have the same address: " + members);
		}
	}

	/**
	 * Creates a cluster. A directory of an earlier start is used as it is.
	 * @param members members of the cluster, the same for all of them
	 * @return the start
	 */
	public static NodeStart newCluster(List<Member> members) {
		return new NodeStart(InitialState.NEW_CLUSTER, members);
	}

	/**
	 * Waits until the leader of a cluster adds this node. A directory of an earlier start
	 * is used as it is.
	 * @return the start
	 */
	public static NodeStart join() {
		return new NodeStart(InitialState.JOIN, List.of());
	}

	/**
	 * Returns a copy that names the nodes that may be members.
	 * @param members addresses of the nodes
	 * @return a new start
	 */
	NodeStart among(List<Member> members) {
		return new NodeStart(this.state, members);
	}

	/**
	 * Uses the directory of an earlier start. Fails if the directory is empty.
	 * @return the start
	 */
	public static NodeStart existing() {
		return new NodeStart(InitialState.EXISTING, List.of());
	}

}
