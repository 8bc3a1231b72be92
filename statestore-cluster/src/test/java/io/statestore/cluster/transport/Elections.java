package io.statestore.cluster.transport;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.core.State;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.util.Endpoint;
import org.awaitility.Awaitility;

/** Starts elections without waiting for the election timeout. */
public final class Elections {

	private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

	private Elections() {
	}

	/**
	 * Lets one of the given nodes stand, once all may take part, and waits until one of
	 * them leads. A failed election is repeated before the election timeout ends.
	 * @param cluster name of the cluster
	 * @param members addresses of nodes in this JVM, which must be a majority
	 */
	public static void begin(String cluster, Collection<Endpoint> members) {
		List<NodeImpl> nodes = NodeManager.getInstance()
			.getAllNodes()
			.stream()
			.filter((node) -> node.getGroupId().equals(cluster))
			.map(NodeImpl.class::cast)
			.filter((node) -> members.contains(node.getNodeId().getPeerId().getEndpoint()))
			.toList();
		AtomicLong next = new AtomicLong(System.nanoTime());
		Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5)).until(() -> {
			if (nodes.stream().allMatch(Elections::mayTakePart) && System.nanoTime() - next.get() >= 0) {
				next.set(System.nanoTime() + PAUSE_NANOS);
				stand(nodes);
			}
			return nodes.stream().anyMatch(NodeImpl::isLeader);
		});
	}

	private static void stand(List<NodeImpl> nodes) {
		if (nodes.stream().noneMatch(NodeImpl::isLeader)) {
			nodes.stream()
				.filter((node) -> node.getNodeState() == State.STATE_FOLLOWER)
				.max(Comparator.comparingLong(NodeImpl::getLastLogIndex))
				.ifPresent(Elections::stand);
		}
	}

	private static boolean mayTakePart(NodeImpl node) {
		return ((ClusterNodeOptions) node.getOptions()).transport().mayTakePart();
	}

	/** Makes a node step down, as when another node has begun a later term. */
	public static void depose(String cluster, Endpoint member) {
		NodeImpl node = (NodeImpl) NodeManager.getInstance().get(cluster, new PeerId(member, 0));
		node.handleRequestVoteRequest(RequestVoteRequest.newBuilder()
			.setPreVote(false)
			.setGroupId(cluster)
			.setServerId(node.getServerId().toString())
			.setPeerId(node.getServerId().toString())
			.setTerm(term(node) + 1)
			.setLastLogIndex(0)
			.setLastLogTerm(0)
			.build());
	}

	private static long term(NodeImpl node) {
		return node.getOptions().getServiceFactory().createRaftMetaStorage("", node.getRaftOptions()).getTerm();
	}

	/** Makes a node stand, like a leader that transfers its leadership. */
	private static void stand(NodeImpl node) {
		TimeoutNowRequest request = TimeoutNowRequest.newBuilder()
			.setGroupId(node.getGroupId())
			.setServerId(node.getNodeId().getPeerId().toString())
			.setPeerId(node.getNodeId().getPeerId().toString())
			.setTerm(term(node))
			.build();
		node.handleTimeoutNowRequest(request, new RpcRequestClosure(new NoReply()));
	}

	/** Sender of a request that does not wait for a reply. */
	private static final class NoReply implements RpcContext {

		@Override
		public void sendResponse(Object response) {
			// The sender does not wait for the reply.
		}

		@Override
		public Connection getConnection() {
			throw new UnsupportedOperationException();
		}

		@Override
		public String getRemoteAddress() {
			return "";
		}

	}

}
