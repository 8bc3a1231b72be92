package io.statestore.cluster.transport;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequestHeader;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.google.protobuf.Message;

/** Passes requests of peers to JRaft. Thread-safe. */
final class RequestDispatcher {

	private final Map<MessageType, RpcProcessor<?>> processors = new EnumMap<>(MessageType.class);

	private final Executor executor;

	private final Admission admission;

	RequestDispatcher(List<RpcProcessor<?>> processors, Executor executor, Admission admission) {
		processors.forEach((processor) -> this.processors.put(MessageType.ofRequest(processor.interest()), processor));
		this.executor = executor;
		this.admission = admission;
	}

	/** Processes a request on another thread. Requests with entries keep their order. */
	void dispatch(MessageType type, Message request, InboundCall call) {
		if (!admit(request, call)) {
			// JRaft would end the node. The leader tries again.
			call.sendResponse(ErrorResponse.newBuilder()
				.setErrorCode(RaftError.EBUSY.getNumber())
				.setErrorMsg("The disk of the node has no room")
				.build());
			return;
		}
		process(type, request, call,
				(request instanceof AppendEntriesRequest entries) ? executor(type, entries) : this.executor);
	}

	private boolean admit(Message request, InboundCall call) {
		if (request instanceof InstallSnapshotRequest) {
			return this.admission.hasSpace();
		}
		if (!(request instanceof AppendEntriesRequest entries) || entries.getEntriesCount() == 0) {
			return true;
		}
		Runnable release = this.admission.admit(request.getSerializedSize());
		if (release != null) {
			call.onAnswer(release);
		}
		return release != null;
	}

	/** Returns the executor for the entries of one peer, which has a single thread. */
	private Executor executor(MessageType type, AppendEntriesRequest request) {
		RpcProcessor<?> processor = processor(type);
		Executor executor = processor.executorSelector()
			.select(processor.interest(),
					AppendEntriesRequestHeader.newBuilder()
						.setGroupId(request.getGroupId())
						.setServerId(request.getServerId())
						.setPeerId(request.getPeerId())
						.build());
		return (executor != null) ? executor : this.executor;
	}

	@SuppressWarnings("unchecked")
	private void process(MessageType type, Message request, RpcContext call, Executor executor) {
		RpcProcessor<Message> processor = (RpcProcessor<Message>) processor(type);
		executor.execute(() -> processor.handleRequest(call, request));
	}

	private RpcProcessor<?> processor(MessageType type) {
		RpcProcessor<?> processor = this.processors.get(type);
		if (processor == null) {
			throw new IllegalStateException("No processor for " + type);
		}
		return processor;
	}

}
