package io.statestore.cluster.transport;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;

/**
 * Passes bytes from one connection to another connection on the same event loop. Stops
 * reading while the other side does not read. When one connection ends, the other
 * connection ends after it has sent everything.
 */
final class Relay extends ChannelInboundHandlerAdapter {

	/**
	 * How long remaining bytes may be sent after the other connection has ended, in
	 * seconds.
	 */
	private static final long LINGER_SECONDS = 5;

	/**
	 * Number of bytes queued on a connection before the other connection is no longer
	 * read.
	 */
	static final WriteBufferWaterMark QUEUED = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

	/**
	 * Default for how long a connection may go without accepting bytes before both
	 * connections end.
	 */
	static final Duration STALL_TIMEOUT = Duration.ofSeconds(30);

	private final Channel target;

	private final Duration stallTimeout;

	/** Whether a check of this connection is scheduled. */
	private boolean checking;

	private Relay(Channel target, Duration stallTimeout) {
		this.target = target;
		this.stallTimeout = stallTimeout;
	}

	/**
	 * Connects two channels. Must be called on their event loop.
	 * @param first a channel without automatic reading
	 * @param second a channel without automatic reading
	 * @param stallTimeout how long a channel may go without accepting bytes before both
	 * are closed
	 */
	static void between(Channel first, Channel second, Duration stallTimeout) {
		first.pipeline().addLast(new Relay(second, stallTimeout));
		second.pipeline().addLast(new Relay(first, stallTimeout));
		if (!first.isActive() || !second.isActive()) {
			first.close();
			second.close();
			return;
		}
		first.config().setAutoRead(true);
		second.config().setAutoRead(true);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object bytes) {
		this.target.write(bytes, this.target.voidPromise());
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		this.target.flush();
		if (!this.target.isWritable()) {
			context.channel().config().setAutoRead(false);
		}
	}

	/** Reads from the other connection whenever this connection has sent enough. */
	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		boolean writable = context.channel().isWritable();
		this.target.config().setAutoRead(writable);
		if (!writable && !this.checking) {
			this.checking = true;
			check(context, context.channel().bytesBeforeWritable());
		}
	}

	/**
	 * Ends both connections if this connection has not accepted bytes for a while. The
	 * other connection's end would go unnoticed, because it is not being read.
	 */
	private void check(ChannelHandlerContext context, long before) {
		context.executor().schedule(() -> {
			Channel channel = context.channel();
			this.checking = !channel.isWritable() && channel.isActive();
			if (this.checking) {
				// This cannot grow while the other connection is not read.
				long pending = channel.bytesBeforeWritable();
				if (pending >= before) {
					channel.close();
					this.target.close();
				}
				else {
					check(context, pending);
				}
			}
		}, this.stallTimeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		Channel target = this.target;
		if (target.isActive()) {
			target.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
			target.eventLoop().schedule(() -> target.close(), LINGER_SECONDS, TimeUnit.SECONDS);
		}
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		// For example, the connection was reset. channelInactive follows.
		context.close();
	}

}
