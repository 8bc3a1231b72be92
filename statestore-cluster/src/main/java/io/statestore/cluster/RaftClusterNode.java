package io.statestore.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.netty.channel.Channel;
import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.Leadership;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.server.Replica;
import io.statestore.cluster.transport.StreamForwarder;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Node of a broker cluster. Combines consensus with forwarding of clients to the leader.
 */
final class RaftClusterNode implements ClusterNode {

	private static final Logger logger = LoggerFactory.getLogger(RaftClusterNode.class);

	/**
	 * Interval at which the target of forwarded clients is updated to the current leader.
	 */
	private static final Duration LEADER_CHECKS = Duration.ofMillis(50);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

	private final ClusterOptions options;

	private final Member self;

	private final RaftNode node;

	private final StreamForwarder forwarder;

	private final NodeAdministration administration;

	/** Leader known at the last check. */
	private volatile @Nullable Member leader;

	private final ScheduledExecutorService leaderChecks = Executors
		.newSingleThreadScheduledExecutor(RaftClusterNode::thread);

	private RaftClusterNode(ClusterOptions options, RaftNode node, NodeEvents events) {
		this.options = options;
		this.self = RaftProvider.member(options.address());
		this.node = node;
		node.transport().acceptStreams(events::streamTarget);
		this.forwarder = node.transport().forwarder();
		this.administration = new NodeAdministration(options, node);
		this.leaderChecks.scheduleWithFixedDelay(this::checkLeader, 0, LEADER_CHECKS.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Starts a node.
	 * @throws IOException if a file or the address cannot be used
	 */
	static RaftClusterNode start(ClusterOptions options, Replica replica, NodeEvents events) throws IOException {
		RaftNodeOptions raft = RaftProvider.options(options);
		StoreMachine machine = new StoreMachine(replica, raft.maxEntryBytes(), events);
		RaftNode node = RaftNode.start(raft, machine);
		machine.started(node);
		return new RaftClusterNode(options, node, events);
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "statestore-cluster-leader");
		thread.setDaemon(true);
		return thread;
	}

	private void checkLeader() {
		try {
			Member leader = this.node.leader();
			this.leader = leader;
			this.forwarder.setLeader((leader != null && !isSelf(leader)) ? leader.endpoint() : null);
		}
		catch (RuntimeException ex) {
			// An exception would end the checks.
			logger.warn("Cannot determine the leader, so clients may not be forwarded to it; trying again", ex);
		}
	}

	@Override
	public Leadership leadership() {
		boolean leading = this.node.isLeading();
		// Use the last check's result, because asking JRaft would wait for its lock. A
		// leader to which clients cannot be forwarded yet counts as unknown.
		Member leader = leading ? this.self : (this.forwarder.isReady() ? this.leader : null);
		return new Leadership(this.options.node(), leading, (leader != null) ? name(leader) : null);
	}

	/** Compares only addresses, because the number depends on the directory. */
	private boolean isSelf(Member member) {
		return isAt(member, this.self);
	}

	private static boolean isAt(Member member, Member address) {
		return member.withNumber(address.number()).equals(address);
	}

	private String name(Member member) {
		for (Map.Entry<String, NodeAddress> peer : this.options.peers().entrySet()) {
			if (isAt(member, RaftProvider.member(peer.getValue()))) {
				return peer.getKey();
			}
		}
		return member.toString();
	}

	@Override
	public void transferLeadership(String node) {
		NodeAddress peer = this.options.peers().get(node);
		if (peer == null) {
			throw new IllegalArgumentException(
					"No node has the name '" + node + "'; the nodes are " + this.options.peers().keySet());
		}
		Member address = RaftProvider.member(peer);
		this.node.transferLeadership(members().filter((member) -> isAt(member, address)).findFirst().orElse(address));
	}

	@Override
	public ClusterNodeState state() {
		return this.administration.state();
	}

	@Override
	public CompletableFuture<List<ClusterNodeState>> states() {
		return this.administration.states();
	}

	@Override
	public CompletableFuture<Void> change(ClusterRequest request) {
		return this.administration.change(request);
	}

	@Override
	public void forward(Channel client, InetSocketAddress address, Runnable established) {
		this.forwarder.forward(client, address, established);
	}

	/**
	 * Transfers leadership to another node before this node stops. Otherwise, the cluster
	 * would not have a leader for an election timeout.
	 */
	private void leaveLeadership() {
		for (Member other : this.node.isLeading() ? successors() : List.<Member>of()) {
			try {
				this.node.transferLeadership(other);
			}
			catch (RuntimeException ex) {
				logger.debug("Cannot transfer leadership to {}", other, ex);
				continue;
			}
			if (awaitOtherLeader()) {
				return;
			}
			logger.warn("Node {} did not take over leadership in time. If no other node does, the cluster has no "
					+ "leader until it elects one", other);
		}
	}

	/** Waits for another leader, at most for two election timeouts. */
	private boolean awaitOtherLeader() {
		long start = System.nanoTime();
		while (System.nanoTime() - start < 2 * this.options.electionTimeout().toNanos()) {
			Member leader = this.node.leader();
			if (leader != null && !isSelf(leader)) {
				return true;
			}
			LockSupport.parkNanos(POLL_INTERVAL.toNanos());
		}
		return false;
	}

	/**
	 * Returns the members that can become the leader, beginning with the members that
	 * have the most entries. Leaves out members that are not running: during an attempt
	 * with such a member, the cluster would not have a leader.
	 */
	private List<Member> successors() {
		return this.node.status()
			.members()
			.stream()
			.filter((member) -> !isSelf(member.member()) && member.voter() && hasContact(member))
			.sorted(Comparator.comparingLong(NodeStatus.MemberStatus::lag))
			.map(NodeStatus.MemberStatus::member)
			.toList();
	}

	private boolean hasContact(NodeStatus.MemberStatus member) {
		Duration silence = member.lastContact();
		return silence != null && silence.compareTo(this.options.electionTimeout()) < 0 && member.lag() >= 0
		// The last contact alone does not show that a node has just stopped.
				&& this.node.transport().isConnected(member.member().endpoint());
	}

	private Stream<Member> members() {
		return this.node.status().members().stream().map(NodeStatus.MemberStatus::member);
	}

	@Override
	public void close() {
		try {
			leaveLeadership();
		}
		finally {
			this.leaderChecks.shutdownNow();
			try {
				this.administration.close();
				this.forwarder.close();
			}
			finally {
				this.node.close();
			}
		}
	}

}
