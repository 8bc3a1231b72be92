package io.statestore.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.core.State;
import com.alipay.sofa.jraft.entity.Ballot;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcResponseClosureAdapter;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JRaft node that stands for election as soon as the leader's process has ended. JRaft
 * itself waits for the election timeout, which must be longer than a busy machine's
 * pauses. As with other elections, a majority must agree first, so a node cannot disturb
 * a leader that only this node fails to reach.
 */
final class ElectingNode extends NodeImpl {

	private static final Logger logger = LoggerFactory.getLogger(ElectingNode.class);

	/**
	 * How long a member has before the next member stands, so that votes do not split.
	 */
	private static final long TURN_MILLIS = 200;

	private static final long NONE = -1;

	private final NodeFiles files;

	private final ScheduledExecutorService executor;

	/** Term whose leader's process has ended. */
	private volatile long endedTerm = NONE;

	/** Time at which this node detected the end of that process. */
	private volatile long endedAt;

	/** Time at which this node last agreed to another node's election. */
	private volatile long agreed = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);

	/**
	 * Creates a node.
	 * @param executor runs attempts to stand, which wait for the disk
	 */
	ElectingNode(String cluster, Member self, NodeFiles files, ScheduledExecutorService executor) {
		super(cluster, self.peer());
		this.files = files;
		this.executor = executor;
	}

	/** Called when a peer's process has ended. */
	void ended(Endpoint peer) {
		ended(peer, System.nanoTime());
	}

	/**
	 * Called when a peer's process has ended.
	 * @param at time at which it ended, by {@link System#nanoTime()}
	 */
	void ended(Endpoint peer, long at) {
		long term = term();
		PeerId leader = getLeaderId();
		if (leader == null || !leader.getEndpoint().equals(peer) || term != term()) {
			return;
		}
		this.endedAt = at;
		this.endedTerm = term;
		List<PeerId> others = getCurrentConf().listPeers()
			.stream()
			.filter((member) -> !member.equals(leader))
			.sorted(Comparator.comparing(PeerId::toString))
			.toList();
		int place = others.indexOf(getServerId());
		if (place >= 0) {
			logger.info("The process of the leader, {}, has ended", leader);
			standLater(term, place, (getOptions().getElectionTimeoutMs() / TURN_MILLIS) + place, others.size());
		}
	}

	/** Stands after some turns, and repeatedly while no other member stands. */
	private void standLater(long term, long turns, long remaining, int members) {
		this.executor.schedule(() -> {
			if (remaining > 0 && this.endedTerm == term() && term == term()) {
				if (System.nanoTime() - this.agreed >= TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS)) {
					askForElection(term);
				}
				standLater(term, members, remaining - members, members);
			}
		}, turns * TURN_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** Stands if a majority agrees to an election. The votes themselves follow later. */
	private void askForElection(long term) {
		Configuration members = getCurrentConf();
		if (getNodeState() != State.STATE_FOLLOWER || getServerId().isPriorityNotElected()) {
			return;
		}
		Ballot ballot = new Ballot();
		ballot.init(members, null);
		ballot.grant(getServerId());
		LogId last = this.files.log().lastStored();
		for (PeerId peer : members.listPeers()) {
			if (!peer.equals(getServerId())) {
				RequestVoteRequest request = RequestVoteRequest.newBuilder()
					.setPreVote(true)
					.setGroupId(getGroupId())
					.setServerId(getServerId().toString())
					.setPeerId(peer.toString())
					.setTerm(term + 1)
					.setLastLogIndex(last.getIndex())
					.setLastLogTerm(last.getTerm())
					.build();
				getRpcService().preVote(peer.getEndpoint(), request, new Agreement(ballot, peer, term));
			}
		}
	}

	/**
	 * Makes this node stand, like a request from a leader that transfers leadership to
	 * it.
	 */
	private void stand(long term) {
		TimeoutNowRequest request = TimeoutNowRequest.newBuilder()
			.setGroupId(getGroupId())
			.setServerId(getServerId().toString())
			.setPeerId(getServerId().toString())
			.setTerm(term)
			.build();
		handleTimeoutNowRequest(request, new NoResponse());
	}

	@Override
	public Message handlePreVoteRequest(RequestVoteRequest request) {
		Message response = super.handlePreVoteRequest(request);
		long term = term();
		// A node that has failed, or is itself standing, does not agree.
		if (!(response instanceof RequestVoteResponse answer) || answer.getTerm() != term || !hasEnded(term)
				|| request.getTerm() != term + 1 || new LogId(request.getLastLogIndex(), request.getLastLogTerm())
					.compareTo(this.files.log().lastStored()) < 0) {
			return response;
		}
		// JRaft has refused only because it recently heard from the leader.
		this.agreed = System.nanoTime();
		return RequestVoteResponse.newBuilder().setTerm(term).setGranted(true).build();
	}

	/**
	 * Returns whether a term's leader has ended within the last election timeout. By the
	 * end of that time, JRaft itself notices, unless the leader is still alive behind a
	 * closed port.
	 */
	private boolean hasEnded(long term) {
		return this.endedTerm == term && System.nanoTime() - this.endedAt < TimeUnit.MILLISECONDS
			.toNanos(getOptions().getElectionTimeoutMs());
	}

	private long term() {
		return this.files.vote().getTerm();
	}

	/** Counts the members that agree to an election. */
	private final class Agreement extends RpcResponseClosureAdapter<RequestVoteResponse> {

		private final Ballot ballot;

		private final PeerId peer;

		private final long term;

		Agreement(Ballot ballot, PeerId peer, long term) {
			this.ballot = ballot;
			this.peer = peer;
			this.term = term;
		}

		@Override
		public void run(Status status) {
			// A member in a later term may already have voted, possibly for itself.
			if (!status.isOk() || !getResponse().getGranted() || getResponse().getTerm() != this.term) {
				return;
			}
			boolean agreed;
			synchronized (this.ballot) {
				agreed = !this.ballot.isGranted();
				this.ballot.grant(this.peer);
				agreed &= this.ballot.isGranted();
			}
			if (agreed) {
				stand(this.term);
			}
		}

	}

	/** Receives this node's response to its own request. */
	private static final class NoResponse extends RpcRequestClosure {

		@SuppressWarnings("NullAway") // Used by the overridden method only.
		NoResponse() {
			super(null);
		}

		@Override
		public void sendResponse(Message response) {
			// This node does not wait for its own response.
		}

	}

}
