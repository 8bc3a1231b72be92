package io.statestore.broker.mqtt;

import java.util.function.IntConsumer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.statestore.broker.packet.FrameGuard;

/**
 * Channel handler that counts the bytes of a client that has logged in. It precedes the
 * {@link FrameGuard}, which holds the bytes while reading is suspended.
 */
final class ReceiveMeter extends ChannelInboundHandlerAdapter {

	private final IntConsumer received;

	private ReceiveMeter(IntConsumer received) {
		this.received = received;
	}

	/**
	 * Installs a meter.
	 * @param pipeline pipeline of the connection
	 * @param received receives the size of each piece, before it is decoded
	 */
	static void install(ChannelPipeline pipeline, IntConsumer received) {
		pipeline.addBefore(pipeline.context(FrameGuard.class).name(), null, new ReceiveMeter(received));
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof ByteBuf bytes) {
			this.received.accept(bytes.readableBytes());
		}
		context.fireChannelRead(message);
	}

}
