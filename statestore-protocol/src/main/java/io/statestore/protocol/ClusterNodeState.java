package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * State of one node of a cluster at one time. An index is the number of an entry in the
 * log of the cluster.
 *
 * @param name name of the node, {@code null} if it is unknown
 * @param address host and port on which the node listens for other nodes
 * @param number number of the node, 0 for a node of the first start. It distinguishes
 * nodes that have lost their data from later ones at the same address
 * @param role role of the node
 * @param term number of the latest term of leadership that the node knows
 * @param leader address of the leader that the node knows, {@code null} if it knows none
 * @param lastIndex index of the last entry that the node has stored
 * @param appliedIndex index of the last entry that the node has applied
 * @param snapshotIndex index of the last entry in the latest snapshot of the node, 0 if
 * there is none
 * @param lag number of entries of the leader that the node may lack, {@code null} if
 * unknown
 * @param lastContact time since the node has last answered the leader, {@code null} if
 * unknown
 * @param diskFull whether the node stores no entries, because its disk is full
 * @param entryFormat latest format of entries that the node reads, 0 if unknown
 * @param failure why the node does not run, or does not answer; {@code null} if it does
 */
public record ClusterNodeState(@Nullable String name, String address, int number, Role role, long term,
		@Nullable String leader, long lastIndex, long appliedIndex, long snapshotIndex, @Nullable Long lag,
		@Nullable Duration lastContact, boolean diskFull, int entryFormat, @Nullable String failure) {

	/**
	 * Returns the state with what the leader knows about it.
	 * @param lag number of entries that the node may lack, or {@code null}
	 * @param lastContact time since the latest answer of the node, or {@code null}
	 * @return a new state
	 */
	public ClusterNodeState seenByLeader(@Nullable Long lag, @Nullable Duration lastContact) {
		return new ClusterNodeState(this.name, this.address, this.number, this.role, this.term, this.leader,
				this.lastIndex, this.appliedIndex, this.snapshotIndex, lag, lastContact, this.diskFull,
				this.entryFormat, this.failure);
	}

	/**
	 * Returns whether a name, an address, or an address with a number means this node.
	 * @param text the name, {@code host:port}, or {@code host:port:number}
	 * @return whether it means this node
	 */
	public boolean isMeantBy(String text) {
		return text.equals(this.name) || text.equals(this.address) || text.equals(this.address + ':' + this.number);
	}

	/** Role of a node. */
	public enum Role {

		/** The node serves clients. */
		LEADER,

		/** The node is a member and does not lead. */
		FOLLOWER,

		/** The node is a member and stands for election. */
		CANDIDATE,

		/** The node receives entries and does not vote. */
		LEARNER,

		/** The node waits until a cluster adds it, or was removed. */
		NO_MEMBER,

		/** The node does not run, because of an error. */
		FAILED,

		/** The node does not answer the leader. */
		UNREACHABLE

	}

}
