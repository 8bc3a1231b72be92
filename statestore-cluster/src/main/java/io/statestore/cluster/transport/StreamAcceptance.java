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
 * Moves a client stream, which another node forwards, to an event loop of this node's
 * broker, where it does not delay messages between nodes. Closes the stream if this node
 * does not serve clients.
 * <p>
 * Holds the first bytes until all received bytes are read, and drops them if the stream
 * has ended by then. If this node was paused, the client may have connected elsewhere,
 * and its old CONNECT packet would end that connection.
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
		// Both steps are in one task, so that this event loop does not run another task
		// in between.
		channel.deregister().addListener((left) -> {
			if (channel.isOpen()) {
				target.eventLoops().register(channel);
			}
		});
	}

	/** Called on the broker's event loop. */
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
			// The other node should have waited for the acceptance.
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
	 * Passes the call on, so that it runs on the current event loop. A thread that calls
	 * while the channel changes its event loop may have chosen the previous event loop.
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
