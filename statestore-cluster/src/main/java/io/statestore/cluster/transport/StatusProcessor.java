package io.statestore.cluster.transport;

import java.util.concurrent.Executor;
import java.util.function.Supplier;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Empty;
import org.jspecify.annotations.Nullable;

/** Answers peers that ask for this node's state. Thread-safe. */
final class StatusProcessor implements RpcProcessor<Empty> {

	private final Executor executor;

	private final Supplier<byte @Nullable []> status;

	/**
	 * Creates a processor.
	 * @param status returns the encoded state, {@code null} while the node is starting
	 */
	StatusProcessor(Executor executor, Supplier<byte @Nullable []> status) {
		this.executor = executor;
		this.status = status;
	}

	@Override
	public void handleRequest(RpcContext context, Empty request) {
		byte[] status = this.status.get();
		context.sendResponse((status != null) ? BytesValue.of(ByteString.copyFrom(status))
				: ErrorResponse.newBuilder()
					.setErrorCode(RaftError.EAGAIN.getNumber())
					.setErrorMsg("The node is starting")
					.build());
	}

	@Override
	public String interest() {
		return Empty.class.getName();
	}

	@Override
	public Executor executor() {
		return this.executor;
	}

}
