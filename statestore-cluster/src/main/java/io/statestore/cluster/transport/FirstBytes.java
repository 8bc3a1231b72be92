package io.statestore.cluster.transport;

import java.util.ArrayDeque;
import java.util.Queue;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;

/**
 * Passes the first bytes of a stream on when everything that has arrived is read, unless
 * the stream has ended. After a pause of this node, its client may have gone elsewhere,
 * and its CONNECT would end the new connection.
 */
final class FirstBytes extends ChannelInboundHandlerAdapter {

	private final Queue<Object> bytes = new ArrayDeque<>();

	private boolean ended;

	@Override
	public void channelRead(ChannelHandlerContext context, Object part) {
		this.bytes.add(part);
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		this.ended |= event instanceof SslCloseCompletionEvent;
		context.fireUserEventTriggered(event);
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		if (!this.bytes.isEmpty()) {
			context.pipeline().remove(this);
		}
		context.fireChannelReadComplete();
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		if (this.ended || !context.channel().isActive()) {
			this.bytes.forEach(ReferenceCountUtil::release);
		}
		else {
			this.bytes.forEach(context::fireChannelRead);
		}
		this.bytes.clear();
	}

}
