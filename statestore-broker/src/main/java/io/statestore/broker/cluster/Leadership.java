package io.statestore.broker.cluster;

import org.jspecify.annotations.Nullable;

/**
 * Leader of a cluster, as one node knows it.
 *
 * @param node name of the node
 * @param leading whether the node is the leader. Another node may already have replaced
 * it
 * @param leader name of the leader, or its address if the peers do not contain it;
 * {@code null} if the node knows none
 */
public record Leadership(String node, boolean leading, @Nullable String leader) {

	/**
	 * Returns whether another node leads, to which this one can forward clients.
	 * @return {@code false} on the leader, and without a leader
	 */
	public boolean follows() {
		return !this.leading && this.leader != null;
	}

}
