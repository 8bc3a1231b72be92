package io.statestore.cluster.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connection to a peer, for this node's requests and their responses. Ends permanently at
 * the first error; JRaft then opens another connection. Used only on the event loop's
 * thread, except where noted.
 */
final class PeerConnection {

	private static final Logger logger = LoggerFactory.getLogger(PeerConnection.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** How long a connection may be without a response before it is replaced. */
	private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** Maximum number of calls that may wait for the connection to open. */
	private static final int MAX_WAITING = 4;

	private final TransportOptions options;

	private final Endpoint peer;

	private final EventLoop eventLoop;

	private final Reachability reachability;

	/** Calls that wait for the connection to open. */
	private final Queue<OutboundCall> waiting = new ArrayDeque<>();

	/** Size of {@link #waiting}, for all threads. */
	private volatile int waitingCalls;

	/** Calls in flight, by number. */
	private final Map<Long, OutboundCall> calls = new HashMap<>();

	private long lastCall;

	/** Time of the latest response, or of the greeting before the first response. */
	private long received;

	/** The channel, {@code null} until the peer has presented its certificate. */
	private volatile @Nullable Channel channel;

	private volatile boolean ended;

	private Runnable endListener = () -> {
	};

	PeerConnection(TransportOptions options, Endpoint peer, EventLoop eventLoop, Reachability reachability) {
		this.options = options;
		this.peer = peer;
		this.eventLoop = eventLoop;
		this.reachability = reachability;
	}

	/** Sets a listener for the connection's end. Call this before any other method. */
	void onEnd(Runnable listener) {
		this.endListener = listener;
	}

	/**
	 * Returns whether calls can be sent without queuing up, except for a few calls while
	 * the connection is being opened. For any thread.
	 */
	boolean isUsable() {
		Channel channel = this.channel;
		return (channel != null) ? channel.isActive() && channel.isWritable()
				: !this.ended && this.waitingCalls < MAX_WAITING;
	}

	/** Returns whether the peer has presented its certificate. For any thread. */
	boolean isOpen() {
		Channel channel = this.channel;
		return channel != null && channel.isActive();
	}

	/** Returns whether the connection was open and no longer is. For any thread. */
	boolean isClosed() {
		Channel channel = this.channel;
		return channel != null && !channel.isActive();
	}

	/**
	 * Resolves the host name, which may take a long time, and connects.
	 * @param opened called once calls can be sent
	 */
	void open(Bootstrap bootstrap, Runnable opened) {
		try {
			InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(this.peer.getIp()),
					this.peer.getPort());
			bootstrap.clone(this.eventLoop)
				.handler(new PeerInitializer(this.options, this.peer, new FlushConsolidationHandler(256, true),
						new LengthFieldBasedFrameDecoder(this.options.maxMessageBytes() + Frames.HEADER_BYTES, 0,
								Frames.LENGTH_BYTES, 0, Frames.LENGTH_BYTES),
						new Responses(opened)))
				.connect(address)
				.addListener((connected) -> {
					if (!connected.isSuccess()) {
						end(connected.cause());
					}
				});
		}
		catch (UnknownHostException | RuntimeException ex) {
			this.eventLoop.execute(() -> end(ex));
		}
	}

	/** Sends a request as soon as the connection is open. For any thread. */
	void call(OutboundCall call, long timeoutMillis) {
		this.eventLoop.execute(() -> {
			if (this.ended) {
				call.fail(new RemotingException("No connection to " + this.peer));
				return;
			}
			call.timeout(
					this.eventLoop.schedule(() -> expire(call, timeoutMillis), timeoutMillis, TimeUnit.MILLISECONDS));
			Channel channel = this.channel;
			if (channel != null) {
				send(channel, call);
			}
			else {
				this.waiting.add(call);
				this.waitingCalls = this.waiting.size();
			}
		});
	}

	/**
	 * Ends a call, and also the connection if it has been silent, because the peer may
	 * have lost power, which TCP detects only after minutes.
	 */
	private void expire(OutboundCall call, long timeoutMillis) {
		if (this.channel != null && System.nanoTime() - this.received > SILENCE_NANOS) {
			end(new RemotingException("The peer is silent"));
		}
		this.calls.values().remove(call);
		this.waiting.remove(call);
		this.waitingCalls = this.waiting.size();
		call.fail(new InvokeTimeoutException("No response from " + this.peer + " within " + timeoutMillis + " ms"));
	}

	private void send(Channel channel, OutboundCall call) {
		if (call.isEnded()) {
			return;
		}
		long number = ++this.lastCall;
		this.calls.put(number, call);
		if (this.options.directories().mayTakePart() && this.reachability.reaches(this.options.self(), this.peer)) {
			channel.writeAndFlush(
					Frames.encode(channel.alloc(), Frames.REQUEST, call.type().code(), number, call.request()),
					channel.voidPromise());
		}
	}

	/** Closes the connection. For any thread. */
	void close() {
		this.eventLoop.execute(() -> end(new RemotingException("The connection was closed")));
	}

	private void end(Throwable cause) {
		if (this.ended) {
			return;
		}
		this.ended = true;
		this.endListener.run();
		Channel channel = this.channel;
		if (channel != null) {
			channel.close();
		}
		logger.debug("Connection to node {} ended", this.peer, cause);
		RemotingException failure = new RemotingException("Connection to " + this.peer + " ended: " + cause);
		this.waiting.forEach((call) -> call.fail(failure));
		this.waiting.clear();
		this.calls.values().forEach((call) -> call.fail(failure));
		this.calls.clear();
	}

	/** Greets the peer and receives its responses. */
	private final class Responses extends SimpleChannelInboundHandler<ByteBuf> {

		private final Runnable opened;

		Responses(Runnable opened) {
			this.opened = opened;
		}

		@Override
		public void userEventTriggered(ChannelHandlerContext context, Object event) {
			if (event instanceof SslHandshakeCompletionEvent handshake) {
				if (handshake.isSuccess() && !PeerConnection.this.ended) {
					open(context.channel());
				}
				else {
					warn(handshake.cause());
					context.close();
					end(new RemotingException("TLS handshake failed", handshake.cause()));
				}
			}
		}

		private void warn(@Nullable Throwable cause) {
			if (cause instanceof SSLException) {
				clientLog.warn("Node {} cannot be trusted: {}. Check the certificates of both nodes",
						PeerConnection.this.peer, cause.toString());
			}
		}

		private void open(Channel channel) {
			TransportOptions options = PeerConnection.this.options;
			channel.write(options.greeting(PeerConnection.this.peer).encode(channel.alloc()));
			PeerConnection.this.received = System.nanoTime();
			PeerConnection.this.channel = channel;
			for (OutboundCall call : PeerConnection.this.waiting) {
				send(channel, call);
			}
			PeerConnection.this.waiting.clear();
			channel.flush();
			this.opened.run();
		}

		@Override
		protected void channelRead0(ChannelHandlerContext context, ByteBuf frame)
				throws InvalidProtocolBufferException {
			if (frame.readableBytes() < Frames.HEADER_BYTES) {
				throw new InvalidProtocolBufferException("The frame is too short");
			}
			PeerConnection.this.received = System.nanoTime();
			int kind = frame.readUnsignedByte();
			frame.readUnsignedByte();
			long number = frame.readLong();
			OutboundCall call = PeerConnection.this.calls.get(number);
			if (call == null) {
				// The call has already timed out.
				return;
			}
			// The request, not the peer, determines the response type.
			Message response = switch (kind) {
				case Frames.RESPONSE -> call.type().parseResponse(frame);
				case Frames.ERROR -> MessageType.parseError(frame);
				default -> throw new InvalidProtocolBufferException("A frame of kind " + kind + " is not a response");
			};
			PeerConnection.this.calls.remove(number);
			call.succeed(response);
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			context.close();
			end(cause);
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			end(new RemotingException("The peer has closed the connection"));
		}

	}

}
