package io.statestore.cluster.transport;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Empty;
import org.jspecify.annotations.Nullable;

/**
 * Asks other nodes, which need not be members, for their states, over separate
 * connections. Thread-safe.
 */
public final class StatusClient implements AutoCloseable {

	private final PeerConnections connections;

	private final Executor executor;

	/**
	 * Creates a client.
	 * @param executor completes the futures
	 */
	StatusClient(PeerConnections connections, Executor executor) {
		this.connections = connections;
		this.executor = executor;
	}

	/**
	 * Asks a node for its state.
	 * @param peer the node
	 * @param timeout maximum time to wait for the answer
	 * @return a future of the encoded state that the node set with
	 * {@link PeerTransport#answerStatus}. Fails with an {@link IOException}
	 */
	public CompletableFuture<byte[]> ask(Endpoint peer, Duration timeout) {
		CompletableFuture<byte[]> result = new CompletableFuture<>();
		this.connections.call(peer,
				new OutboundCall(MessageType.STATUS, Empty.getDefaultInstance(), new Answer(result)),
				timeout.toMillis());
		return result;
	}

	/** Closes the connections. */
	@Override
	public void close() {
		this.connections.close();
	}

	private final class Answer implements InvokeCallback {

		private final CompletableFuture<byte[]> result;

		Answer(CompletableFuture<byte[]> result) {
			this.result = result;
		}

		@Override
		public void complete(@Nullable Object response, @Nullable Throwable failure) {
			if (response instanceof BytesValue status) {
				this.result.complete(status.getValue().toByteArray());
			}
			else {
				this.result.completeExceptionally(new IOException((response instanceof ErrorResponse error)
						? error.getErrorMsg() : (failure != null) ? failure.getMessage() : "No answer", failure));
			}
		}

		@Override
		public Executor executor() {
			return StatusClient.this.executor;
		}

	}

}
