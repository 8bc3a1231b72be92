package io.statestore.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.server.ClientLog;
import io.statestore.cluster.transport.DiskAdmission;
import io.statestore.cluster.transport.PeerTransport;
import io.statestore.cluster.transport.Reachability;
import io.statestore.cluster.transport.TransportOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Node of a cluster that replicates a log with Raft (Ongaro and Ousterhout, 2014). An
 * entry is committed once it is on the disks of a majority. Its future completes once
 * this node has also applied it. Futures complete on threads that must not be blocked.
 * Thread-safe.
 */
public final class RaftNode implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RaftNode.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final byte[] NO_CONTEXT = new byte[0];

	private static final long ANY_TERM = -1;

	/** Interval at which the disk, leadership, and a failed node are checked. */
	private static final Duration CHECKS = Duration.ofMillis(500);

	/** Interval at which this node connects to founders whose directory is unknown. */
	private static final Duration INTRODUCTIONS = Duration.ofMillis(500);

	private final RaftNodeOptions options;

	private final NodeDirectory directory;

	private final SpareSpace spare;

	private final DiskAdmission admission;

	private final PeerTransport transport;

	private final MachineCaller caller;

	/**
	 * Runs background tasks. Of the three threads, one may be writing a snapshot, one may
	 * be waiting for that before it restarts the node, and one remains to transfer
	 * leadership away from a slow disk.
	 */
	private final ScheduledThreadPoolExecutor background = new ScheduledThreadPoolExecutor(3, RaftNode::thread);

	private final Proposals proposals;

	private final NodeSupervisor<JRaftNode> supervisor;

	private final LeadershipHandover handover;

	private final Membership membership;

	private final StatusReader status;

	private RaftNode(RaftNodeOptions options, ReplicatedMachine machine, Reachability reachability,
			NodeDirectory directory) {
		this.options = options;
		this.directory = directory;
		this.background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.spare = new SpareSpace(options.spareBytes());
		this.admission = new DiskAdmission(this.spare);
		this.proposals = new Proposals(this.spare, this::storedIndex);
		this.transport = new PeerTransport(new TransportOptions(options.cluster(), options.self().endpoint(),
				options.listen(), options.tls(), options.maxEntryBytes() + JRaftOptions.MAX_BODY_BYTES + (1 << 20),
				Duration.ofSeconds(5), directory), this.admission, reachability);
		this.transport.acceptMembers(this::isMember);
		this.transport.onProcessEnd((peer) -> node().ended(peer));
		this.transport.onLostDirectory((reason) -> fail(new StoreDirectoryException(reason)));
		SnapshotPolicy policy = new SnapshotPolicy(options.minSnapshotLogBytes());
		Member self = directory.self();
		this.caller = new MachineCaller(self, machine, options.snapshotId(), this.background, policy,
				new Events(policy));
		this.membership = new Membership(self, this::node, this::leader);
		this.status = new StatusReader(self, this.caller);
		this.supervisor = new NodeSupervisor<>(self, this::startNode, machine::failed, this.background,
				NodeSupervisor.FIRST_PAUSE_MILLIS);
		this.handover = new LeadershipHandover(self, this.spare, this.proposals, options.electionTimeout());
	}

	private JRaftNode startNode() throws IOException {
		this.proposals.endAll();
		this.admission.reset();
		return JRaftNode.start(this.options, this.directory, this.spare, this.transport, this.caller, this.background);
	}

	/**
	 * Starts a node.
	 * @param options addresses, directory, and limits of the node
	 * @param machine applies committed entries
	 * @return a started node
	 * @throws IOException if a file or the address cannot be used
	 * @throws io.statestore.broker.log.LogException if the directory cannot be used, or a
	 * file is damaged. The message names the file
	 */
	public static RaftNode start(RaftNodeOptions options, ReplicatedMachine machine) throws IOException {
		return start(options, machine, Reachability.ALL);
	}

	static RaftNode start(RaftNodeOptions options, ReplicatedMachine machine, Reachability reachability)
			throws IOException {
		SignalHandlers.keep();
		NodeDirectory directory = NodeDirectory.open(options);
		RaftNode node;
		try {
			node = new RaftNode(options, machine, reachability, directory);
		}
		catch (RuntimeException | Error ex) {
			directory.close();
			throw ex;
		}
		try {
			node.start();
			return node;
		}
		catch (IOException | RuntimeException | Error ex) {
			node.close();
			throw ex;
		}
	}

	private void start() throws IOException {
		NodeManager.getInstance().addAddress(this.options.self().endpoint());
		this.supervisor.start();
		this.transport.start();
		this.directory.compareMembers(currentMembers());
		repeat(this::introduce, Duration.ZERO, INTRODUCTIONS);
		repeat(this::extendLog);
		repeat(() -> this.handover.check(this.supervisor.current().node(), () -> status().members()));
		repeat(this.supervisor::endNodeIfFailed);
	}

	private void introduce() {
		List<Endpoint> unknown = this.directory.unknownFounders();
		unknown.forEach(this.transport::open);
		if (!this.directory.mayTakePart()) {
			clientLog.info("Node {} waits for {}. A new cluster begins once all of its nodes have connected. If it is "
					+ "not new, replace this node", this.directory.self(), unknown);
		}
	}

	private void repeat(Runnable task) {
		repeat(task, CHECKS, CHECKS);
	}

	private void repeat(Runnable task, Duration delay, Duration interval) {
		this.background.scheduleWithFixedDelay(() -> {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				// An exception would end the repetitions.
				logger.warn("A periodic task of node {} failed; trying again. If this happens repeatedly, report it "
						+ "with this stack trace", this.directory.self(), ex);
			}
		}, delay.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "statestore-cluster-files");
		thread.setDaemon(true);
		return thread;
	}

	private ElectingNode node() {
		return this.supervisor.current().node();
	}

	/** Returns whether the options or the log name a node. Does not wait. */
	private boolean isMember(Endpoint peer) {
		List<Member> named = this.options.start().members();
		if (named.stream().anyMatch((member) -> member.endpoint().equals(peer))) {
			return true;
		}
		Configuration current = node().getCurrentConf();
		if (current == null || current.isEmpty()) {
			// A joining node might not know any other node yet.
			return named.isEmpty();
		}
		return Stream.concat(current.listPeers().stream(), current.listLearners().stream())
			.anyMatch((member) -> member.getEndpoint().equals(peer));
	}

	private long storedIndex() {
		return this.supervisor.current().files().log().storedIndex();
	}

	/** Allocates disk space again after it ran short. */
	private void extendLog() {
		if (this.spare.isFull()) {
			this.supervisor.current().files().log().extend();
		}
	}

	/**
	 * Proposes an entry.
	 * @param entry the entry, which must not be changed afterward
	 * @return a future of the entry's index, which completes once this node has applied
	 * the entry. Fails with {@link NotLeaderException} or
	 * {@link ProposalRejectedException} if the entry was not proposed, and with
	 * {@link OutcomeUnknownException} otherwise
	 * @throws IllegalArgumentException if the entry is too large
	 */
	public CompletableFuture<Long> propose(ByteBuffer entry) {
		if (!isLeading()) {
			return CompletableFuture.failedFuture(new NotLeaderException(leader()));
		}
		return propose(entry, null, ANY_TERM, false);
	}

	/**
	 * Proposes an entry, see {@link #propose(ByteBuffer)}.
	 * @param attachment object to pass to {@link ReplicatedMachine#apply} on this node,
	 * {@code null} for none
	 * @param term term in which the entry may be appended
	 * @param essential whether the entry may use the reserve of a full disk
	 */
	CompletableFuture<Long> propose(ByteBuffer entry, @Nullable Object attachment, long term, boolean essential) {
		int bytes = entry.remaining();
		if (bytes > this.options.maxEntryBytes()) {
			throw new IllegalArgumentException(
					"An entry of " + bytes + " bytes exceeds the limit of " + this.options.maxEntryBytes());
		}
		if (!isLeading()) {
			// Do not name the leader, because asking JRaft would wait for its lock.
			return CompletableFuture.failedFuture(new NotLeaderException(null));
		}
		return this.proposals.propose(node(), entry, attachment, term, essential);
	}

	/**
	 * Waits until this node has applied all entries that were committed before the call,
	 * on any node. Asks a majority, and does not rely on clocks.
	 * @return a future of the index of the last of these entries. Fails if there is no
	 * leader, or if a majority does not answer
	 */
	public CompletableFuture<Long> readIndex() {
		CompletableFuture<Long> result = new CompletableFuture<>();
		ReadIndexClosure done = new ReadIndexClosure() {

			@Override
			public void run(Status status, long index, byte[] context) {
				if (status.isOk()) {
					result.complete(index);
				}
				else {
					result.completeExceptionally(new IOException("The latest committed entry is unknown. Check that a "
							+ "majority of the nodes is running, and try again. Cause: " + status.getErrorMsg()));
				}
			}

		};
		try {
			node().readIndex(NO_CONTEXT, done);
		}
		catch (IllegalStateException ex) {
			result.completeExceptionally(new IOException("The latest committed entry is unknown. Check that a majority "
					+ "of the nodes is running, and try again. Cause: " + ex.getMessage(), ex));
		}
		return result;
	}

	/**
	 * Returns whether this node is the leader and has applied all entries of earlier
	 * leaders. Another node may already lead, so call {@link #readIndex()} before
	 * reading.
	 * @return whether this node accepts proposals
	 */
	public boolean isLeading() {
		return this.caller.isLeading() && node().isLeader(false);
	}

	/**
	 * Returns whether this node is the leader in the given term, see
	 * {@link #isLeading()}.
	 */
	boolean isLeading(long term) {
		// Check in this order, because a node stores its term before it becomes the
		// leader.
		return isLeading() && this.supervisor.current().files().vote().getTerm() == term;
	}

	boolean hasSpace() {
		return !this.spare.isFull();
	}

	/**
	 * Returns the leader, as far as this node knows it.
	 * @return the leader, {@code null} if it is unknown
	 */
	public @Nullable Member leader() {
		PeerId leader = node().getLeaderId();
		return (leader != null && !leader.isEmpty()) ? Member.of(leader) : null;
	}

	/**
	 * Returns this node's state. Does not wait for other nodes or for the disk.
	 * @return a snapshot of the state
	 */
	public NodeStatus status() {
		return this.status.read(this.supervisor.current(), this.transport.replicators(), this.spare.isFull(),
				this.supervisor.failure());
	}

	private List<Member> currentMembers() {
		return status().members().stream().map(NodeStatus.MemberStatus::member).toList();
	}

	/**
	 * Adds a member, on the leader. The new node, which must have been started to join,
	 * first receives the entries it lacks, and votes afterward. At most one change of the
	 * members runs at a time.
	 * @param member the new member, with its number, which its status contains
	 * @return a future that completes when a majority of the members has the change.
	 * Fails with {@link NotLeaderException} on another node, and with an
	 * {@link IOException} if the new node cannot be reached
	 */
	public CompletableFuture<Void> addMember(Member member) {
		return this.membership.add(member);
	}

	/**
	 * Removes a member, on the leader. A leader asked to remove itself transfers
	 * leadership instead, and the future fails with {@link NotLeaderException}; repeat
	 * the request on the new leader.
	 * @param member the member, which must be stopped afterward
	 * @return a future that completes when a majority of the members has the change.
	 * Fails with {@link NotLeaderException} on another node, and with
	 * {@link IllegalArgumentException} if the node is not a member, or is the only member
	 */
	public CompletableFuture<Void> removeMember(Member member) {
		return this.membership.remove(member);
	}

	/**
	 * Replaces a member with another node, on the leader: {@link #addMember}, then
	 * {@link #removeMember}. These are separate steps, because otherwise a leader could
	 * confirm reads with a majority of the new members, while a majority of the old
	 * members elects another leader. Can be repeated if the second step fails.
	 * @param removed the member to remove
	 * @param added the new member, with its number
	 * @return a future that completes after both steps, and fails as they do
	 */
	public CompletableFuture<Void> replaceMember(Member removed, Member added) {
		return this.membership.replace(removed, added);
	}

	/**
	 * Asks another member to lead. Returns immediately.
	 * @param member the member to become the leader
	 * @throws NotLeaderException if this node is not the leader
	 * @throws IllegalStateException if the other node is not a member, or a change of the
	 * members is under way
	 */
	public void transferLeadership(Member member) {
		this.membership.transfer(member);
	}

	/**
	 * Writes a snapshot on this node, and removes entries covered by the previous
	 * snapshot from its log.
	 * @return a future that completes when the snapshot is on the disk
	 */
	public CompletableFuture<Void> snapshot() {
		CompletableFuture<Void> result = new CompletableFuture<>();
		node().snapshot((status) -> {
			if (status.isOk()) {
				result.complete(null);
			}
			else {
				result.completeExceptionally(new IOException("Cannot write a snapshot: " + status.getErrorMsg()));
			}
		});
		return result;
	}

	/** Leaves the cluster, because the machine has failed. */
	void fail(Throwable cause) {
		this.supervisor.fail(cause);
	}

	/**
	 * Returns the transport, which also carries forwarded clients and status requests.
	 */
	PeerTransport transport() {
		return this.transport;
	}

	/** Stops the node. The other members elect a new leader if necessary. */
	@Override
	public void close() {
		try {
			this.supervisor.close();
		}
		finally {
			try {
				this.proposals.close();
				this.transport.close();
				NodeManager.getInstance().removeAddress(this.options.self().endpoint());
				awaitBackground();
			}
			finally {
				this.directory.close();
			}
		}
	}

	private void awaitBackground() {
		this.background.shutdown();
		try {
			this.background.awaitTermination(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private final class Events implements MachineCaller.NodeListener {

		private final SnapshotPolicy policy;

		private volatile boolean failing;

		Events(SnapshotPolicy policy) {
			this.policy = policy;
		}

		@Override
		public void snapshotDue() {
			RaftNode.this.background.execute(() -> snapshot().whenComplete((done, failure) -> {
				this.policy.ended(failure == null);
				if (failure != null && !this.failing) {
					logger.warn(
							"Node {}: {}. The log grows until a snapshot succeeds; the node tries again every minute. "
									+ "Check the free space on the disk",
							RaftNode.this.directory.self(), failure.getMessage());
				}
				this.failing = failure != null;
			}));
		}

		@Override
		public void nodeFailed(Throwable failure) {
			RaftNode.this.supervisor.restart(failure);
		}

		@Override
		public void machineFailed(Throwable failure) {
			RaftNode.this.supervisor.fail(failure);
		}

	}

}
