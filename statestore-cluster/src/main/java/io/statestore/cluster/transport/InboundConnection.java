package io.statestore.cluster.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import io.netty.channel.Channel;

/**
 * Connection that a peer has opened. Stops reading requests while many requests are being
 * processed, and while the peer does not read its responses. Thread-safe.
 */
final class InboundConnection {

	/** Number of requests in process above which reading stops. */
	private static final int MAX_REQUESTS = 1_024;

	private final Channel channel;

	private final Endpoint self;

	private final Endpoint peer;

	private final Reachability reachability;

	private final Executor entriesExecutor;

	/** Number of requests in process. Changed only on the event loop. */
	private int requests;

	/**
	 * Creates a connection.
	 * @param entriesExecutor processes entries and heartbeats in order
	 */
	InboundConnection(Channel channel, Endpoint self, Endpoint peer, Reachability reachability,
			Executor entriesExecutor) {
		this.channel = channel;
		this.self = self;
		this.peer = peer;
		this.reachability = reachability;
		this.entriesExecutor = entriesExecutor;
	}

	/** Counts a request. Call this on the event loop. */
	void requested() {
		this.requests++;
		updateReading();
	}

	/** Sends a response, unless the connection has ended. */
	void respond(int kind, int code, long number, Message response) {
		try {
			this.channel.eventLoop().execute(() -> send(kind, code, number, response));
		}
		catch (RejectedExecutionException ex) {
			// The node has closed. If this threw, JRaft would log the request with its
			// entries.
		}
	}

	private void send(int kind, int code, long number, Message response) {
		this.requests--;
		updateReading();
		if (this.channel.isActive() && this.reachability.reaches(this.self, this.peer)) {
			this.channel.writeAndFlush(Frames.encode(this.channel.alloc(), kind, code, number, response),
					this.channel.voidPromise());
		}
	}

	/** Continues or stops reading requests. Call this on the event loop. */
	void updateReading() {
		this.channel.config().setAutoRead(this.requests < MAX_REQUESTS && this.channel.isWritable());
	}

	String remoteAddress() {
		return String.valueOf(this.channel.remoteAddress());
	}

	Executor entriesExecutor() {
		return this.entriesExecutor;
	}

}
