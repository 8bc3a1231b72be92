package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import org.jspecify.annotations.Nullable;

/** Sends a JRaft node's calls to its peers. Thread-safe. */
final class PeerClient implements RpcClient {

	private static final ErrorResponse PONG = ErrorResponse.newBuilder().setErrorCode(0).build();

	private final HeartbeatOrder heartbeats = new HeartbeatOrder();

	private volatile @Nullable PeerConnections connections;

	private volatile @Nullable ReplicatorGroup replicators;

	@Override
	public boolean init(RpcOptions options) {
		this.connections = ((ClusterNodeOptions) options).transport().connect(this.replicators);
		return true;
	}

	@Override
	public void registerConnectEventListener(ReplicatorGroup replicators) {
		this.replicators = replicators;
	}

	@Override
	public void shutdown() {
		PeerConnections connections = this.connections;
		if (connections != null) {
			connections.close();
		}
	}

	@Override
	public boolean checkConnection(Endpoint endpoint) {
		return connections().isUsable(endpoint);
	}

	@Override
	public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
		if (createIfAbsent) {
			connections().open(endpoint);
		}
		return checkConnection(endpoint);
	}

	@Override
	public void closeConnection(Endpoint endpoint) {
		connections().close(endpoint);
	}

	/**
	 * Starts to connect, and does not wait. JRaft uses this method only for its ping,
	 * which checks whether a peer is connected. It holds the node's lock during the call,
	 * so waiting for a peer that does not answer would delay other members' votes. The
	 * request that follows is sent once the connection is open.
	 */
	@Override
	public Object invokeSync(Endpoint endpoint, Object request, @Nullable InvokeContext context, long timeoutMillis) {
		if (!(request instanceof PingRequest)) {
			throw new UnsupportedOperationException("Only a ping can be sent synchronously");
		}
		connections().open(endpoint);
		return PONG;
	}

	@Override
	public void invokeAsync(Endpoint endpoint, Object request, @Nullable InvokeContext context, InvokeCallback callback,
			long timeoutMillis) {
		connections().call(endpoint, new OutboundCall(MessageType.ofRequest(request), (Message) request,
				this.heartbeats.order(request, callback)), timeoutMillis);
	}

	private PeerConnections connections() {
		PeerConnections connections = this.connections;
		if (connections == null) {
			throw new IllegalStateException("The client is not initialized");
		}
		return connections;
	}

}
