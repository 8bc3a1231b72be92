package io.statestore.cluster;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterNodeState;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of a node's state.
 *
 * @param node the node
 * @param role the node's role
 * @param term number of the current leader's term
 * @param leader the leader, {@code null} if the node does not know it
 * @param lastIndex index of the last entry in the node's log
 * @param committedIndex index of the last entry that the node knows to be committed
 * @param appliedIndex index of the last entry that the node's machine has applied
 * @param snapshotIndex index of the last entry in the node's latest snapshot, 0 if there
 * is none
 * @param diskFull whether the node refuses entries because its disk is full
 * @param failure why the node is not running, {@code null} if it is
 * @param members the members that the node knows; only the leader's list is sure to be
 * current
 */
public record NodeStatus(Member node, Role role, long term, @Nullable Member leader, long lastIndex,
		long committedIndex, long appliedIndex, long snapshotIndex, boolean diskFull, @Nullable String failure,
		List<MemberStatus> members) {

	public NodeStatus {
		members = List.copyOf(members);
	}

	/**
	 * Returns the node's state in the form that administrators and other nodes receive.
	 */
	ClusterNodeState state(@Nullable String name) {
		return new ClusterNodeState(name, this.node.address(), this.node.number(), this.role, this.term,
				(this.leader != null) ? this.leader.address() : null, this.lastIndex, this.appliedIndex,
				this.snapshotIndex, null, null, this.diskFull, LogEntryCodec.FORMAT, this.failure);
	}

	/**
	 * State of a member, as a node knows it.
	 *
	 * @param member the member
	 * @param voter whether the member votes
	 * @param matchIndex index of the last entry known to be in the member's log, 0 if
	 * unknown; only the leader knows it
	 * @param lag number of the leader's entries that the member may lack, -1 if unknown
	 * @param lastContact time since the latest request that the member has answered,
	 * {@code null} if unknown; only the leader knows it
	 */
	public record MemberStatus(Member member, boolean voter, long matchIndex, long lag,
			@Nullable Duration lastContact) {
	}

}
