package io.statestore.cluster.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.google.protobuf.Message;

/** A peer's request that is being processed. Answered once. Thread-safe. */
final class InboundCall implements RpcContext {

	private final InboundConnection connection;

	private final MessageType type;

	private final long number;

	private final AtomicBoolean answered = new AtomicBoolean();

	private volatile Runnable onAnswer = () -> {
	};

	InboundCall(InboundConnection connection, MessageType type, long number) {
		this.connection = connection;
		this.type = type;
		this.number = number;
	}

	/** Sets an action to run when the request is answered. */
	void onAnswer(Runnable action) {
		this.onAnswer = action;
	}

	@Override
	public void sendResponse(Object response) {
		if (this.answered.compareAndSet(false, true)) {
			this.onAnswer.run();
			int kind = this.type.isResponse(response) && this.type != MessageType.PING ? Frames.RESPONSE : Frames.ERROR;
			this.connection.respond(kind, this.type.code(), this.number, (Message) response);
		}
	}

	/**
	 * Returns the executor that processes the connection's entries and heartbeats in
	 * order.
	 */
	Executor entriesExecutor() {
		return this.connection.entriesExecutor();
	}

	/** Called only by a JRaft processor that is not used here. */
	@Override
	public Connection getConnection() {
		throw new UnsupportedOperationException("JRaft does not manage connections");
	}

	@Override
	public String getRemoteAddress() {
		return this.connection.remoteAddress();
	}

}
