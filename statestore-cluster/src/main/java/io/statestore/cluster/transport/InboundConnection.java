package io.statestore.cluster.transport;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Connection that a peer has opened. Stops reading requests while many are being
 * processed, and while the peer does not read its responses. Thread-safe.
 */
final class InboundConnection implements Connection {

	/** Number of requests above which no more are read. */
	private static final int MAX_REQUESTS = 1_024;

	private final Channel channel;

	private final Endpoint self;

	private final Endpoint peer;

	private final Reachability reachability;

	private final Map<String, Object> attributes = new ConcurrentHashMap<>();

	/** Requests that are being processed. Changed on the event loop only. */
	private int requests;

	InboundConnection(Channel channel, Endpoint self, Endpoint peer, Reachability reachability) {
		this.channel = channel;
		this.self = self;
		this.peer = peer;
		this.reachability = reachability;
	}

	/** Counts a request. Call this on the event loop. */
	void requested() {
		this.requests++;
		updateReading();
	}

	/** Sends a response. */
	void respond(int kind, int code, long number, Message response) {
		this.channel.eventLoop().execute(() -> {
			this.requests--;
			updateReading();
			if (this.channel.isActive() && this.reachability.reaches(this.self, this.peer)) {
				this.channel.writeAndFlush(Frames.encode(this.channel.alloc(), kind, code, number, response),
						this.channel.voidPromise());
			}
		});
	}

	/** Reads further requests, or none. Call this on the event loop. */
	void updateReading() {
		this.channel.config().setAutoRead(this.requests < MAX_REQUESTS && this.channel.isWritable());
	}

	String remoteAddress() {
		return String.valueOf(this.channel.remoteAddress());
	}

	@Override
	public @Nullable Object getAttribute(String key) {
		return this.attributes.get(key);
	}

	@Override
	public void setAttribute(String key, Object value) {
		this.attributes.put(key, value);
	}

	@Override
	public @Nullable Object setAttributeIfAbsent(String key, Object value) {
		return this.attributes.putIfAbsent(key, value);
	}

	@Override
	public void close() {
		this.channel.close();
	}

}
