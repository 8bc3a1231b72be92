package io.statestore.cluster.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.cluster.StreamTarget;
import org.jspecify.annotations.Nullable;

/**
 * Connects the stream of a client, which another node forwards, to the broker of this
 * node. Closes the stream if this node does not serve clients.
 */
final class StreamAcceptance extends ChannelInboundHandlerAdapter {

	/** Bytes to queue on a connection before the other one is not read. */
	static final WriteBufferWaterMark QUEUED = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

	private static final int CONNECT_TIMEOUT_MILLIS = 1_000;

	private final StreamGreeting stream;

	private final @Nullable StreamTarget target;

	StreamAcceptance(StreamGreeting stream, @Nullable StreamTarget target) {
		this.stream = stream;
		this.target = target;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		Channel peer = context.channel();
		if (this.target == null) {
			peer.close();
			return;
		}
		peer.config().setAutoRead(false);
		peer.config().setWriteBufferWaterMark(QUEUED);
		StreamTarget target = this.target;
		ChannelFuture connecting = new Bootstrap().group(peer.eventLoop())
			.channel(NioSocketChannel.class)
			.option(ChannelOption.TCP_NODELAY, true)
			.option(ChannelOption.AUTO_READ, false)
			.option(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
			.handler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					// Handlers follow when it is connected.
				}
			})
			.connect(target.address());
		connecting.addListener((connected) -> {
			if (connected.isSuccess() && peer.isActive()) {
				connect(context, connecting.channel(), target);
			}
			else {
				connecting.channel().close();
				peer.close();
			}
		});
	}

	private void connect(ChannelHandlerContext context, Channel broker, StreamTarget target) {
		Channel peer = context.channel();
		broker.writeAndFlush(target.header(broker.alloc(), this.stream.client()), broker.voidPromise());
		ByteBuf accepted = peer.alloc().buffer(1).writeByte(StreamGreeting.ACCEPTED);
		peer.writeAndFlush(accepted, peer.voidPromise());
		context.pipeline().replace(this, null, new FirstBytes());
		Relay.between(peer, broker, Relay.STALL_TIMEOUT);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object bytes) {
		// The other node waits until the stream is accepted.
		ReferenceCountUtil.release(bytes);
		context.close();
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		context.close();
	}

}
