package io.statestore.cluster.transport;

import java.util.ArrayDeque;
import java.util.Queue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/**
 * Reads a client's first bytes while the connection to the leader is being opened, to
 * detect whether the client disconnects. Otherwise, the CONNECT packet of a client that
 * has since connected elsewhere would end its new connection. Passes the bytes on when
 * this handler is removed.
 */
final class EarlyBytes extends ChannelInboundHandlerAdapter {

	/** Number of bytes after which reading stops. A CONNECT packet is smaller. */
	private static final int MAX_BYTES = 16 * 1024;

	private final Queue<ByteBuf> bytes = new ArrayDeque<>();

	private int size;

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		context.channel().config().setAutoRead(true);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		ByteBuf part = (ByteBuf) message;
		this.bytes.add(part);
		this.size += part.readableBytes();
		if (this.size >= MAX_BYTES) {
			context.channel().config().setAutoRead(false);
		}
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		boolean passing = context.channel().isActive();
		this.bytes.forEach(passing ? context::fireChannelRead : ReferenceCountUtil::release);
		if (passing) {
			context.fireChannelReadComplete();
		}
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		// For example, the connection was reset.
		context.close();
	}

}
