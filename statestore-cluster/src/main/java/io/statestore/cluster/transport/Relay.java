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
 * Passes the bytes of one connection to another one, which has the same event loop. Stops
 * reading while the other side does not. At the end of one connection, the other one ends
 * after it has sent everything.
 */
final class Relay extends ChannelInboundHandlerAdapter {

	/** Time to send what remains after the end of the other connection. */
	private static final long LINGER_SECONDS = 5;

	/** Bytes to queue on a connection before the other one is not read. */
	static final WriteBufferWaterMark QUEUED = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

	/** Default time in which a connection has to accept bytes. */
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
	 * Connects two channels. To be called on their event loop.
	 * @param first a channel that does not read by itself
	 * @param second a channel that does not read by itself
	 * @param stallTimeout time after which both end if one of them accepts no bytes
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

	/** Reads from the other connection whenever this one has sent enough. */
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
	 * Ends both connections if this one has accepted no bytes for a while. The end of the
	 * other one would remain unnoticed, because it is not read.
	 */
	private void check(ChannelHandlerContext context, long before) {
		context.executor().schedule(() -> {
			Channel channel = context.channel();
			this.checking = !channel.isWritable() && channel.isActive();
			if (this.checking) {
				// Nothing is added while the other connection is not read.
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
		// Such as a reset. channelInactive follows.
		context.close();
	}

}
