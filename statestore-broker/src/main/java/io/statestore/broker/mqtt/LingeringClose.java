package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;

/**
 * First channel handler for a TLS client. After a failed handshake, it only shuts down
 * the output, and closes the connection once the client has closed it or
 * {@value #MAX_SECONDS} second has passed. TLS 1.3 clients send their CONNECT before they
 * read the alert. If the connection were closed with unread bytes, they would receive a
 * reset instead of the alert that says why they were refused.
 */
final class LingeringClose extends ChannelDuplexHandler {

	private static final long MAX_SECONDS = 1;

	private boolean failed;

	private boolean lingering;

	/** Handles a failed handshake, before the connection is closed. */
	void handshakeFailed() {
		this.failed = true;
	}

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		if (!this.failed || !(context.channel() instanceof DuplexChannel channel) || !channel.isActive()) {
			context.close(promise);
			return;
		}
		channel.closeFuture().addListener((closed) -> promise.trySuccess());
		if (!this.lingering) {
			this.lingering = true;
			channel.shutdownOutput();
			channel.config().setAutoRead(true);
			context.executor().schedule(() -> context.close(), MAX_SECONDS, TimeUnit.SECONDS);
		}
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.lingering) {
			ReferenceCountUtil.release(message);
		}
		else {
			context.fireChannelRead(message);
		}
	}

}
