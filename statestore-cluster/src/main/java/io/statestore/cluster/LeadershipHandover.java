package io.statestore.cluster;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.ElectionPriority;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.core.State;
import com.alipay.sofa.jraft.entity.PeerId;
import io.statestore.broker.log.SpareSpace;
import io.statestore.cluster.NodeStatus.MemberStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets other nodes lead while this node's disk is full, or slower than theirs. Used by
 * one thread at a time.
 */
final class LeadershipHandover {

	private static final Logger logger = LoggerFactory.getLogger(LeadershipHandover.class);

	/** How long the disk may be full or slow before leadership is transferred. */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * First pause between attempts, which follow because other nodes' disks may be full,
	 * too.
	 */
	private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long MAX_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(5);

	/**
	 * Number of election timeouts without a leader after which this node stands even if
	 * its disk is full, because the other nodes' logs may lack entries.
	 */
	private static final int MAX_WAIT = 6;

	private final Member self;

	private final SpareSpace spare;

	private final Proposals proposals;

	private final Duration electionTimeout;

	/** Whether the disk was full or slow at the latest check. */
	private boolean hindered;

	private long hinderedSince;

	/** Earliest time of the next attempt. */
	private long notBefore = System.nanoTime();

	private long pause = FIRST_PAUSE_NANOS;

	/**
	 * Member that the latest attempt asked to lead; this node before the first attempt.
	 */
	private Member previous;

	private boolean leaderless;

	private long leaderlessSince;

	LeadershipHandover(Member self, SpareSpace spare, Proposals proposals, Duration electionTimeout) {
		this.self = self;
		this.spare = spare;
		this.proposals = proposals;
		this.electionTimeout = electionTimeout;
		this.previous = self;
	}

	/** Called at short intervals. */
	void check(NodeImpl node, Supplier<List<MemberStatus>> members) {
		long now = System.nanoTime();
		boolean leads = node.isLeader(false);
		if (node.getNodeState() == State.STATE_FOLLOWER) {
			setStanding(node, now);
		}
		boolean hindered = this.spare.isFull() || this.proposals.isBehind(PATIENCE_NANOS);
		if (hindered && !this.hindered) {
			this.hinderedSince = now;
		}
		this.hindered = hindered;
		if (hindered && leads && now - this.hinderedSince >= PATIENCE_NANOS && now - this.notBefore >= 0) {
			handOver(node, members.get(), now);
		}
	}

	/**
	 * Sets whether a follower stands for election, using its priority. Not called on a
	 * leader, whose requests contain an address that includes the priority.
	 */
	private void setStanding(NodeImpl node, long now) {
		boolean leaderless = isNone(node.getLeaderId());
		if (leaderless && !this.leaderless) {
			this.leaderlessSince = now;
		}
		this.leaderless = leaderless;
		boolean stands = !this.spare.isFull()
				|| (leaderless && now - this.leaderlessSince > MAX_WAIT * this.electionTimeout.toNanos());
		// "Disabled" disables priorities, so that the node stands like any other node.
		int priority = stands ? ElectionPriority.Disabled : ElectionPriority.NotElected;
		PeerId self = node.getNodeId().getPeerId();
		if (self.getPriority() != priority) {
			self.setPriority(priority);
		}
	}

	private static boolean isNone(@Nullable PeerId leader) {
		return leader == null || leader.isEmpty();
	}

	private void handOver(NodeImpl node, List<MemberStatus> members, long now) {
		List<Member> others = members.stream()
			.filter((member) -> member.voter() && !member.member().equals(this.self) && isReached(member))
			.map(MemberStatus::member)
			.sorted(Comparator.comparing(Member::toString))
			.toList();
		if (others.size() <= members.size() / 2) {
			// Without this node, the next leader could not commit entries.
			return;
		}
		if (now - this.notBefore > 2 * MAX_PAUSE_NANOS) {
			this.pause = FIRST_PAUSE_NANOS;
		}
		this.notBefore = now + this.pause;
		this.pause = Math.min(2 * this.pause, MAX_PAUSE_NANOS);
		// All nodes ask in the same order, so that each node gets its turn.
		Member next = others.stream()
			.filter((other) -> other.toString().compareTo(this.previous.toString()) > 0)
			.findFirst()
			.orElse(others.get(0));
		this.previous = next;
		logger.warn("Node {} asks node {} to take over leadership, because its own disk is full or too slow. Check the "
				+ "disk", this.self, next);
		Status status = node.transferLeadershipTo(next.peer());
		if (!status.isOk()) {
			logger.debug("Node {} still leads: {}", this.self, status);
		}
	}

	/**
	 * Returns whether a member answers and has all entries. A member whose disk is full
	 * lacks entries, because it refuses them.
	 */
	private boolean isReached(MemberStatus member) {
		Duration contact = member.lastContact();
		return member.lag() == 0 && contact != null && contact.compareTo(this.electionTimeout) < 0;
	}

}
