package io.statestore.broker.cluster;

import org.jspecify.annotations.Nullable;

/**
 * A cluster's leader, as known to one node.
 *
 * @param node name of this node
 * @param leading whether this node believes it is the leader. Another node may already
 * have replaced it
 * @param leader name of the leader, or its address if it is not among the peers;
 * {@code null} if this node does not know a leader
 */
public record Leadership(String node, boolean leading, @Nullable String leader) {

	/**
	 * Returns whether another node leads, to which this node can forward clients.
	 * @return {@code false} on the leader, and if there is no leader
	 */
	public boolean follows() {
		return !this.leading && this.leader != null;
	}

}
