package io.statestore.cluster.transport;

import java.util.ArrayDeque;
import java.util.Queue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.cluster.StreamTarget;
import org.jspecify.annotations.Nullable;

/**
 * Moves the stream of a client, which another node forwards, to an event loop of the
 * broker of this node, where it does not delay messages of nodes. Closes the stream if
 * this node does not serve clients.
 * <p>
 * Holds the first bytes until everything that has arrived is read, and drops them if the
 * stream has ended by then. After a pause of this node, the client may have connected
 * elsewhere, and its old CONNECT would end that connection.
 */
final class StreamAcceptance extends ChannelDuplexHandler {

	private final StreamGreeting stream;

	private final @Nullable StreamTarget target;

	private final Queue<Object> first = new ArrayDeque<>();

	private boolean accepted;

	private boolean ended;

	StreamAcceptance(StreamGreeting stream, @Nullable StreamTarget target) {
		this.stream = stream;
		this.target = target;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		Channel channel = context.channel();
		StreamTarget target = this.target;
		if (target == null) {
			channel.close();
			return;
		}
		channel.config().setAutoRead(false);
		// The broker decides when to flush.
		context.pipeline().remove(FlushConsolidationHandler.class);
		// Both steps are one task, so no other task of this event loop runs in between.
		channel.deregister().addListener((left) -> {
			if (channel.isOpen()) {
				target.eventLoops().register(channel);
			}
		});
	}

	/** Called on the event loop of the broker. */
	@Override
	public void channelRegistered(ChannelHandlerContext context) {
		if (this.target == null || this.ended || !context.channel().isActive()) {
			context.close();
			return;
		}
		this.accepted = true;
		context.writeAndFlush(context.alloc().buffer(1).writeByte(StreamGreeting.ACCEPTED));
		context.channel().config().setAutoRead(true);
		this.target.accept(context.channel(), this.stream.client());
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object bytes) {
		this.first.add(bytes);
		if (!this.accepted) {
			// The other node should have waited.
			this.ended = true;
			context.close();
		}
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		this.ended |= event instanceof SslCloseCompletionEvent;
		context.fireUserEventTriggered(event);
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		if (this.accepted && !this.first.isEmpty()) {
			context.pipeline().remove(this);
		}
		context.fireChannelReadComplete();
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		boolean passing = !this.ended && context.channel().isActive();
		this.first.forEach(passing ? context::fireChannelRead : ReferenceCountUtil::release);
	}

	/**
	 * Passes the call on, which then runs on the current event loop. A thread that calls
	 * while the channel changes its event loop may have chosen the former one.
	 */
	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		context.close(promise);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		context.close();
	}

}
