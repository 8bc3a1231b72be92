package io.statestore.cluster.transport;

import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.impl.core.NodeRequestProcessor;
import com.google.protobuf.Message;

/**
 * Passes log entries and heartbeats to the node, and sends each response as soon as it is
 * available; the leader puts the responses in order. JRaft's own processor orders them,
 * but keeps its state by peer instead of by connection: a request whose response is lost
 * delays requests on later connections, and the end of a connection can make the next
 * leader wait.
 */
final class EntriesProcessor extends NodeRequestProcessor<AppendEntriesRequest> {

	EntriesProcessor(Executor executor) {
		super(executor, AppendEntriesResponse.getDefaultInstance());
	}

	@Override
	protected Message processRequest0(RaftServerService node, AppendEntriesRequest request, RpcRequestClosure done) {
		return node.handleAppendEntriesRequest(request, done);
	}

	@Override
	protected String getPeerId(AppendEntriesRequest request) {
		return request.getPeerId();
	}

	@Override
	protected String getGroupId(AppendEntriesRequest request) {
		return request.getGroupId();
	}

	@Override
	public String interest() {
		return AppendEntriesRequest.class.getName();
	}

}
