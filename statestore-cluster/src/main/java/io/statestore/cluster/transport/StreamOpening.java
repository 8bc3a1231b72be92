package io.statestore.cluster.transport;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the connection that carries a client's bytes to the leader. Follows the TLS
 * handler in that connection's pipeline. Closes the client's connection if the leader
 * does not accept the client in time. Used on the event loop that both connections share.
 */
final class StreamOpening extends ByteToMessageDecoder {

	private static final Logger logger = LoggerFactory.getLogger(StreamOpening.class);

	private final TransportOptions options;

	private final Endpoint leader;

	private final InetSocketAddress clientAddress;

	private final Channel client;

	private final Runnable established;

	private final Runnable done;

	private final Duration stallTimeout;

	private final EarlyBytes early = new EarlyBytes();

	private boolean ended;

	/**
	 * Creates an opening.
	 * @param established called when the leader has accepted the client
	 * @param done called once, when the leader has accepted the client or the attempt has
	 * failed
	 * @param stallTimeout how long one side may go without accepting bytes before the
	 * stream ends
	 */
	StreamOpening(TransportOptions options, Endpoint leader, InetSocketAddress clientAddress, Channel client,
			Runnable established, Runnable done, Duration stallTimeout) {
		this.options = options;
		this.leader = leader;
		this.clientAddress = clientAddress;
		this.client = client;
		this.established = established;
		this.done = done;
		this.stallTimeout = stallTimeout;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.client.pipeline().addLast(this.early);
		this.client.closeFuture().addListener((closed) -> {
			if (!this.ended) {
				context.close();
			}
		});
	}

	/** Ends this attempt. It has failed unless the stream was established. */
	void end() {
		if (!this.ended) {
			this.ended = true;
			this.client.close();
			this.done.run();
		}
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		if (event instanceof SslHandshakeCompletionEvent handshake) {
			if (handshake.isSuccess()) {
				greet(context.channel());
			}
			else {
				logger.debug("Cannot forward a client to node {}", this.leader, handshake.cause());
				context.close();
			}
		}
	}

	private void greet(Channel channel) {
		StreamGreeting greeting = new StreamGreeting(this.options.greeting(this.leader), this.clientAddress);
		channel.writeAndFlush(greeting.encode(channel.alloc()), channel.voidPromise());
		channel.eventLoop().schedule(() -> {
			if (!this.ended) {
				channel.close();
			}
		}, this.options.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
		if (in.readByte() != StreamGreeting.ACCEPTED || this.ended || !this.client.isActive()) {
			context.close();
			return;
		}
		this.ended = true;
		this.established.run();
		this.done.run();
		Relay.between(context.channel(), this.client, this.stallTimeout);
		this.client.pipeline().remove(this.early);
		// Removing this decoder passes on the bytes received after the acceptance.
		context.pipeline().remove(this);
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		end();
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		context.close();
	}

}
