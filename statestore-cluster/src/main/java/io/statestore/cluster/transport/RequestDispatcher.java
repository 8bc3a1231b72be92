package io.statestore.cluster.transport;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.google.protobuf.Message;

/** Passes peers' requests to JRaft. Thread-safe. */
final class RequestDispatcher {

	private final Map<MessageType, RpcProcessor<?>> processors = new EnumMap<>(MessageType.class);

	private final Executor executor;

	/** Runs the processing of log entries and heartbeats. */
	private final Executor entriesThreads;

	private final DiskAdmission admission;

	RequestDispatcher(List<RpcProcessor<?>> processors, Executor executor, Executor entriesThreads,
			DiskAdmission admission) {
		processors.forEach((processor) -> this.processors.put(MessageType.ofRequest(processor.interest()), processor));
		this.executor = executor;
		this.entriesThreads = entriesThreads;
		this.admission = admission;
	}

	Executor newEntriesExecutor() {
		return new OrderedExecutor(this.entriesThreads);
	}

	/**
	 * Processes a request on another thread. A connection's entries and heartbeats keep
	 * their order, because the leader sends them without waiting for responses, and a
	 * heartbeat refers to the entry before it.
	 */
	void dispatch(MessageType type, Message request, InboundCall call) {
		if (!admit(request, call)) {
			// If JRaft received the request, it would end the node. The leader retries.
			call.sendResponse(ErrorResponse.newBuilder()
				.setErrorCode(RaftError.EBUSY.getNumber())
				.setErrorMsg("The disk of the node has no room")
				.build());
			return;
		}
		RpcProcessor<Message> processor = processor(type);
		Executor executor = (request instanceof AppendEntriesRequest) ? call.entriesExecutor() : this.executor;
		executor.execute(() -> processor.handleRequest(call, request));
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

	@SuppressWarnings("unchecked")
	private RpcProcessor<Message> processor(MessageType type) {
		RpcProcessor<?> processor = this.processors.get(type);
		if (processor == null) {
			throw new IllegalStateException("No processor for " + type);
		}
		return (RpcProcessor<Message>) processor;
	}

}
