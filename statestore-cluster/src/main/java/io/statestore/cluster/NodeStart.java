package io.statestore.cluster;

import java.util.List;

import io.statestore.broker.cluster.ClusterOptions.InitialState;

/**
 * What a node does if its directory is empty. A node that lost its directory has
 * forgotten its vote, and must not vote again in the same cluster, so an empty directory
 * requires an explicit decision.
 *
 * @param state the decision
 * @param members the members of a new cluster; for an existing cluster, known nodes that
 * may be members
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
	 * Creates a cluster. If the directory is not empty, it is used unchanged.
	 * @param members the cluster's members, the same on all nodes
	 * @return the start
	 */
	public static NodeStart newCluster(List<Member> members) {
		return new NodeStart(InitialState.NEW_CLUSTER, members);
	}

	/**
	 * Waits until a cluster's leader adds this node. If the directory is not empty, it is
	 * used unchanged.
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
