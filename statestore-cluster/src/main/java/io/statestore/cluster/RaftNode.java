package io.statestore.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.PeerId;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.cluster.transport.PeerTransport;
import io.statestore.cluster.transport.Reachability;
import io.statestore.cluster.transport.TransportOptions;
import org.jspecify.annotations.Nullable;

/**
 * One node of a cluster that replicates a log with Raft (Ongaro and Ousterhout, 2014). An
 * entry is committed, and its future completes, when it is on the disks of a majority and
 * this node has applied it. Futures complete on threads that must not be blocked.
 * Thread-safe.
 */
public final class RaftNode implements AutoCloseable {

	private static final byte[] NO_CONTEXT = new byte[0];

	private static final long ANY_TERM = -1;

	private static final Duration SPACE_CHECKS = Duration.ofMillis(500);

	private final RaftNodeOptions options;

	private final NodeFiles files;

	private final PeerTransport transport;

	private final MachineCaller caller;

	private final ScheduledExecutorService background = Executors
		.newSingleThreadScheduledExecutor(new DefaultThreadFactory("statestore-cluster-files", true));

	private final Proposals proposals;

	private final Node node;

	private RaftNode(RaftNodeOptions options, ReplicatedMachine machine, Reachability reachability) throws IOException {
		this.options = options;
		Files.createDirectories(options.directory());
		this.files = new NodeFiles(options);
		this.proposals = new Proposals(this.files.space());
		this.transport = new PeerTransport(
				new TransportOptions(options.cluster(), options.self().endpoint(), options.listen(), options.tls(),
						options.maxEntryBytes() + JRaftOptions.MAX_BODY_BYTES + (1 << 20), Duration.ofSeconds(5)),
				() -> !this.files.space().isFull(), reachability);
		this.caller = new MachineCaller(machine,
				UUID.nameUUIDFromBytes(options.cluster().getBytes(StandardCharsets.UTF_8)), this.background);
		this.node = new NodeImpl(options.cluster(), options.self().peer());
	}

	/**
	 * Starts a node.
	 * @param options the options
	 * @param machine the state machine
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
		RaftNode node = new RaftNode(options, machine, reachability);
		try {
			node.start();
			return node;
		}
		catch (IOException | RuntimeException ex) {
			node.close();
			throw ex;
		}
	}

	private void start() throws IOException {
		NodeManager.getInstance().addAddress(this.options.self().endpoint());
		if (!this.node.init(JRaftOptions.of(this.options, this.files, this.transport, this.caller))) {
			throw new IOException("Node " + this.options.self() + " cannot start with directory "
					+ this.options.directory() + ". The log shows the reason");
		}
		this.transport.start();
		this.background.scheduleWithFixedDelay(this::extend, SPACE_CHECKS.toMillis(), SPACE_CHECKS.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private void extend() {
		if (this.files.space().isFull()) {
			this.files.log().extend();
		}
	}

	/**
	 * Proposes an entry.
	 * @param entry the entry, which must not be changed afterwards
	 * @return completes with the index once this node has applied the entry. Completes
	 * exceptionally with {@link NotLeaderException} or {@link ProposalRejectedException}
	 * if the entry was not proposed, and with {@link OutcomeUnknownException} otherwise
	 * @throws IllegalArgumentException if the entry is too large
	 */
	public CompletableFuture<Long> propose(ByteBuffer entry) {
		return propose(entry, null, ANY_TERM);
	}

	/**
	 * Proposes an entry, see {@link #propose(ByteBuffer)}.
	 * @param attachment passed to {@link ReplicatedMachine#apply} on this node, or
	 * {@code null}
	 * @param term term in which the entry may be appended
	 */
	CompletableFuture<Long> propose(ByteBuffer entry, @Nullable Object attachment, long term) {
		int bytes = entry.remaining();
		if (bytes > this.options.maxEntryBytes()) {
			throw new IllegalArgumentException(
					"An entry of " + bytes + " bytes exceeds the limit of " + this.options.maxEntryBytes());
		}
		if (!isLeading()) {
			return CompletableFuture.failedFuture(new NotLeaderException(leader()));
		}
		return this.proposals.propose(this.node, entry, attachment, term);
	}

	/**
	 * Waits until this node has applied everything that was committed before the call,
	 * anywhere. Asks a majority, and relies on no clock.
	 * @return completes with the index of the last of these entries. Completes
	 * exceptionally if there is no leader, or no majority answers
	 */
	public CompletableFuture<Long> readIndex() {
		CompletableFuture<Long> result = new CompletableFuture<>();
		this.node.readIndex(NO_CONTEXT, new ReadIndexClosure() {

			@Override
			public void run(Status status, long index, byte[] context) {
				if (status.isOk()) {
					result.complete(index);
				}
				else {
					result.completeExceptionally(new IOException("No read index: " + status.getErrorMsg()));
				}
			}

		});
		return result;
	}

	/**
	 * Returns whether this node is the leader, and has applied all entries of earlier
	 * leaders. Another node may lead already: use {@link #readIndex()} before reading.
	 * @return whether this node accepts proposals
	 */
	public boolean isLeading() {
		return this.caller.isLeading() && this.node.isLeader(false);
	}

	/**
	 * Returns whether this node is the leader in a term, see {@link #isLeading()}.
	 */
	boolean isLeading(long term) {
		// In this order: a leader has stored its term before it becomes one.
		return isLeading() && this.files.term() == term;
	}

	/** Returns whether the disk of this node has space for entries. */
	boolean hasSpace() {
		return !this.files.space().isFull();
	}

	/**
	 * Returns the leader that this node knows.
	 * @return the leader, {@code null} if it is unknown
	 */
	public @Nullable Member leader() {
		PeerId leader = this.node.getLeaderId();
		return (leader != null && !leader.isEmpty()) ? Member.of(leader) : null;
	}

	/**
	 * Returns the members, as the leader knows them.
	 * @return the members
	 * @throws IllegalStateException if this node is not the leader
	 */
	public List<Member> members() {
		return this.node.listPeers().stream().map(Member::of).toList();
	}

	/**
	 * Changes the members, on the leader. A new member first receives the entries it
	 * lacks. At most one change runs at a time.
	 * @param members the new members
	 * @return completes when a majority of the new members has the change
	 */
	public CompletableFuture<Void> changeMembers(List<Member> members) {
		CompletableFuture<Void> result = new CompletableFuture<>();
		this.node.changePeers(new Configuration(members.stream().map(Member::peer).toList()),
				(status) -> complete(result, "Cannot change the members", status));
		return result;
	}

	/**
	 * Asks another member to lead. Returns at once.
	 * @param member a member
	 * @throws IllegalStateException if this node is not the leader, or the other one is
	 * no member
	 */
	public void transferLeadership(Member member) {
		Status status = this.node.transferLeadershipTo(member.peer());
		if (!status.isOk()) {
			throw new IllegalStateException("Cannot transfer leadership to " + member + ": " + status.getErrorMsg());
		}
	}

	/**
	 * Writes a snapshot on this node, and removes entries behind the one before from its
	 * log.
	 * @return completes when the snapshot is on the disk
	 */
	public CompletableFuture<Void> snapshot() {
		CompletableFuture<Void> result = new CompletableFuture<>();
		this.node.snapshot((status) -> complete(result, "Cannot write a snapshot", status));
		return result;
	}

	private static void complete(CompletableFuture<Void> result, String action, Status status) {
		if (status.isOk()) {
			result.complete(null);
		}
		else {
			result.completeExceptionally(new IOException(action + ": " + status.getErrorMsg()));
		}
	}

	/** Returns the transport, for the clients that nodes forward. */
	PeerTransport transport() {
		return this.transport;
	}

	/** Stops the node. The other members elect a new leader if necessary. */
	@Override
	public void close() {
		this.files.log().closing();
		this.node.shutdown(null);
		try {
			this.node.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.proposals.close();
		this.transport.close();
		NodeManager.getInstance().removeAddress(this.options.self().endpoint());
		this.background.shutdown();
		this.files.close();
	}

}
