package io.statestore.cluster;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterNodeState;
import org.jspecify.annotations.Nullable;

/**
 * State of one node at one time.
 *
 * @param node the node
 * @param role role of the node
 * @param term number of the current leader's term
 * @param leader the leader, {@code null} if the node knows none
 * @param lastIndex index of the last entry in the log of the node
 * @param committedIndex index of the last entry that the node knows to be committed
 * @param appliedIndex index of the last entry that the machine of the node has applied
 * @param snapshotIndex index of the last entry in the latest snapshot of the node, 0 if
 * there is none
 * @param diskFull whether the node accepts no entries, because its disk is full
 * @param failure why the node does not run at present, {@code null} if it runs
 * @param members the members that the node knows. Those of the leader are current
 */
public record NodeStatus(Member node, Role role, long term, @Nullable Member leader, long lastIndex,
		long committedIndex, long appliedIndex, long snapshotIndex, boolean diskFull, @Nullable String failure,
		List<MemberStatus> members) {

	public NodeStatus {
		members = List.copyOf(members);
	}

	/** Returns the state of the node for administrators and other nodes. */
	ClusterNodeState state(@Nullable String name) {
		return new ClusterNodeState(name, this.node.address(), this.node.number(), this.role, this.term,
				(this.leader != null) ? this.leader.address() : null, this.lastIndex, this.appliedIndex,
				this.snapshotIndex, null, null, this.diskFull, LogEntryCodec.FORMAT, this.failure);
	}

	/**
	 * State of a member, as one node knows it.
	 *
	 * @param member the member
	 * @param voter whether the member votes
	 * @param matchIndex index of the last entry that is certainly in the log of the
	 * member, 0 if unknown. Only the leader knows
	 * @param lag number of entries of the leader that the member may lack, -1 if unknown
	 * @param lastContact time since the latest request that the member has answered,
	 * {@code null} if unknown. Only the leader knows
	 */
	public record MemberStatus(Member member, boolean voter, long matchIndex, long lag,
			@Nullable Duration lastContact) {
	}

}
