package io.statestore.cluster.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.google.protobuf.Message;
import org.jspecify.annotations.Nullable;

/** A request in flight. Ends once. Used only on its connection's thread. */
final class OutboundCall {

	private final MessageType type;

	private final Message request;

	private final InvokeCallback callback;

	private @Nullable Future<?> timeout;

	private boolean ended;

	OutboundCall(MessageType type, Message request, InvokeCallback callback) {
		this.type = type;
		this.request = request;
		this.callback = callback;
	}

	MessageType type() {
		return this.type;
	}

	Message request() {
		return this.request;
	}

	void timeout(Future<?> timeout) {
		this.timeout = timeout;
	}

	boolean isEnded() {
		return this.ended;
	}

	void succeed(Object response) {
		end(response, null);
	}

	void fail(Throwable failure) {
		end(null, failure);
	}

	private void end(@Nullable Object response, @Nullable Throwable failure) {
		if (this.ended) {
			return;
		}
		this.ended = true;
		if (this.timeout != null) {
			this.timeout.cancel(false);
		}
		Executor executor = this.callback.executor();
		try {
			executor.execute(() -> this.callback.complete(response, failure));
		}
		catch (RejectedExecutionException ex) {
			// The node has shut down, so callers no longer wait.
		}
	}

}
