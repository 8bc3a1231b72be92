package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.Queue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;

/**
 * Channel handler that passes received bytes in small pieces, so that reading can be
 * suspended between them. Holds the remaining bytes until reading resumes. Netty would
 * decode up to 64 KiB at once, which can contain more than 10,000 packets.
 */
final class ReadGate extends ChannelDuplexHandler {

	/** Name in the pipeline. */
	static final String NAME = "statestore-gate";

	/** Maximum size of a piece in bytes. */
	static final int MAX_PIECE = 4 * 1024;

	private final Queue<ByteBuf> waiting = new ArrayDeque<>();

	/** Whether a piece is being passed, so that a nested call must not pass another. */
	private boolean passing;

	/** Whether {@link #resume} is scheduled on the event loop. */
	private boolean scheduled;

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof ByteBuf bytes) {
			this.waiting.add(bytes);
			pass(context);
		}
		else {
			context.fireChannelRead(message);
		}
	}

	private void pass(ChannelHandlerContext context) {
		if (this.passing) {
			return;
		}
		this.passing = true;
		try {
			while (!this.waiting.isEmpty() && context.channel().config().isAutoRead()) {
				ByteBuf next = this.waiting.element();
				context.fireChannelRead((next.readableBytes() <= MAX_PIECE) ? this.waiting.remove()
						: next.readRetainedSlice(MAX_PIECE));
			}
		}
		finally {
			this.passing = false;
		}
	}

	/**
	 * Passes held bytes before reading further ones. May be called while a handler is
	 * still running.
	 */
	@Override
	public void read(ChannelHandlerContext context) {
		if (this.waiting.isEmpty()) {
			context.read();
		}
		else if (!this.scheduled) {
			this.scheduled = true;
			context.executor().execute(() -> resume(context));
		}
	}

	private void resume(ChannelHandlerContext context) {
		this.scheduled = false;
		pass(context);
		context.fireChannelReadComplete();
		if (this.waiting.isEmpty() && context.channel().config().isAutoRead()) {
			context.read();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		discard();
		context.fireChannelInactive();
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		discard();
	}

	private void discard() {
		this.waiting.forEach(ByteBuf::release);
		this.waiting.clear();
	}

}
