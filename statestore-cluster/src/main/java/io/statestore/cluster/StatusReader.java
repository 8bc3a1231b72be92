package io.statestore.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.core.Replicator;
import com.alipay.sofa.jraft.core.State;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.ThreadId;
import com.alipay.sofa.jraft.util.Utils;
import io.statestore.cluster.NodeStatus.MemberStatus;
import io.statestore.protocol.ClusterNodeState.Role;
import org.jspecify.annotations.Nullable;

/** Reads a JRaft node's state. Thread-safe. */
final class StatusReader {

	private final Member self;

	private final MachineCaller caller;

	StatusReader(Member self, MachineCaller caller) {
		this.self = self;
		this.caller = caller;
	}

	NodeStatus read(JRaftNode current, @Nullable ReplicatorGroup replicators, boolean diskFull,
			@Nullable Throwable failure) {
		NodeImpl node = current.node();
		State state = node.getNodeState();
		Configuration members = node.getCurrentConf();
		boolean leads = state == State.STATE_LEADER || state == State.STATE_TRANSFERRING;
		PeerId leader = node.getLeaderId();
		long applied = this.caller.applied();
		long last;
		long committed;
		try {
			last = node.getLastLogIndex();
			committed = node.getLastCommittedIndex();
		}
		catch (IllegalStateException ex) {
			// The node has ended.
			last = Math.max(applied, current.files().log().getLastLogIndex());
			committed = applied;
		}
		return new NodeStatus(this.self, (failure != null) ? Role.FAILED : role(state, members),
				current.files().vote().getTerm(), (leader != null && !leader.isEmpty()) ? Member.of(leader) : null,
				last, committed, applied, this.caller.snapshotIndex(), diskFull,
				(failure != null) ? failure.getMessage() : null, members(last, members, leads ? replicators : null));
	}

	private Role role(State state, @Nullable Configuration members) {
		PeerId self = this.self.peer();
		return switch (state) {
			case STATE_LEADER, STATE_TRANSFERRING -> Role.LEADER;
			case STATE_CANDIDATE -> Role.CANDIDATE;
			case STATE_FOLLOWER -> {
				if (members != null && members.contains(self)) {
					yield Role.FOLLOWER;
				}
				yield (members != null && members.getLearners().contains(self)) ? Role.LEARNER : Role.NO_MEMBER;
			}
			default -> Role.FAILED;
		};
	}

	private List<MemberStatus> members(long last, @Nullable Configuration members,
			@Nullable ReplicatorGroup replicators) {
		List<MemberStatus> result = new ArrayList<>();
		if (members != null) {
			members.listPeers().forEach((peer) -> result.add(member(last, peer, true, replicators)));
			members.listLearners().forEach((peer) -> result.add(member(last, peer, false, replicators)));
		}
		return result;
	}

	private MemberStatus member(long last, PeerId peer, boolean voter, @Nullable ReplicatorGroup replicators) {
		Member member = Member.of(peer);
		if (replicators == null) {
			return new MemberStatus(member, voter, 0, -1, null);
		}
		if (member.equals(this.self)) {
			return new MemberStatus(member, voter, last, 0, Duration.ZERO);
		}
		ThreadId replicator = replicators.getReplicator(peer);
		long next = (replicator != null) ? Replicator.getNextIndex(replicator) : 0;
		long contact = replicators.getLastRpcSendTimestamp(peer);
		return new MemberStatus(member, voter, Math.max(0, next - 1), (next > 0) ? Math.max(0, last - next + 1) : -1,
				(contact > 0) ? Duration.ofMillis(Math.max(0, Utils.monotonicMs() - contact)) : null);
	}

}
