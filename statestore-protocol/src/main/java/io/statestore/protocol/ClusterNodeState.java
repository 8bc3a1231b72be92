package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one cluster node's state. An index is the number of an entry in the
 * cluster's log.
 *
 * @param name name of the node, {@code null} if it is unknown
 * @param address host and port on which the node listens for other nodes
 * @param number number of the node, 0 for a node that was there when the cluster was
 * created. It distinguishes a node that has lost its data from a later node at the same
 * address
 * @param role role of the node
 * @param term number of the latest leadership term that the node knows of
 * @param leader address of the leader that the node knows of, {@code null} if there is
 * none
 * @param lastIndex index of the last entry that the node has stored
 * @param appliedIndex index of the last entry that the node has applied
 * @param snapshotIndex index of the last entry in the node's latest snapshot, 0 if there
 * is none
 * @param lag number of the leader's entries that the node may lack, {@code null} if
 * unknown
 * @param lastContact time since the node last answered the leader, {@code null} if
 * unknown
 * @param diskFull whether the node cannot store entries because its disk is full
 * @param entryFormat latest entry format that the node can read, 0 if unknown
 * @param failure why the node is not running or does not answer; {@code null} if there is
 * no failure
 */
public record ClusterNodeState(@Nullable String name, String address, int number, Role role, long term,
		@Nullable String leader, long lastIndex, long appliedIndex, long snapshotIndex, @Nullable Long lag,
		@Nullable Duration lastContact, boolean diskFull, int entryFormat, @Nullable String failure) {

	/**
	 * Returns a copy with the leader's knowledge about the node.
	 * @param lag number of entries that the node may lack, or {@code null} if unknown
	 * @param lastContact time since the node's latest answer, or {@code null} if unknown
	 * @return a new state
	 */
	public ClusterNodeState seenByLeader(@Nullable Long lag, @Nullable Duration lastContact) {
		return new ClusterNodeState(this.name, this.address, this.number, this.role, this.term, this.leader,
				this.lastIndex, this.appliedIndex, this.snapshotIndex, lag, lastContact, this.diskFull,
				this.entryFormat, this.failure);
	}

	/**
	 * Returns whether a name, an address, or an address with a number refers to this
	 * node.
	 * @param text the name, {@code host:port}, or {@code host:port:number}
	 * @return whether the text refers to this node
	 */
	public boolean isMeantBy(String text) {
		return text.equals(this.name) || text.equals(this.address) || text.equals(this.address + ':' + this.number);
	}

	/** The role of a node. */
	public enum Role {

		/** The node serves clients. */
		LEADER,

		/** The node is a member, but does not lead. */
		FOLLOWER,

		/** The node is a member and is standing for election. */
		CANDIDATE,

		/** The node receives entries, but does not vote. */
		LEARNER,

		/** The node was removed, or is waiting until a cluster adds it. */
		NO_MEMBER,

		/** The node is not running because of an error. */
		FAILED,

		/** The node does not answer the leader. */
		UNREACHABLE

	}

}
