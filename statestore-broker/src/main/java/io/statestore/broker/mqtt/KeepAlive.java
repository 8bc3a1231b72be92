package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;

/**
 * Detects clients that have not sent a packet for 1.5 times their keep-alive (MQTT 5
 * section 3.1.2.10). Uses the monotonic clock, so that setting the system clock forward
 * does not disconnect idle clients. Also closes the connection of a client that has
 * stopped reading, because the broker does not read its packets in the meantime either.
 */
final class KeepAlive extends IdleStateHandler {

	/** Keep-alive for clients that do not request one, in seconds. */
	static final int MAX_SECONDS = 65_535;

	/**
	 * How long a client may go without accepting any bytes. The connection is closed
	 * after one to three times this period.
	 */
	static final long STALL_MILLIS = 30_000;

	private final Runnable expired;

	/**
	 * Creates a detector for an accepted client.
	 * @param requested the keep-alive in the CONNECT, in seconds, 0 for none
	 * @param expired called on the event loop, repeatedly while no packet is received
	 */
	KeepAlive(int requested, Runnable expired) {
		super(true, ((requested > 0) ? requested : MAX_SECONDS) * 1_500L, STALL_MILLIS, 0, TimeUnit.MILLISECONDS);
		this.expired = expired;
	}

	/**
	 * Restarts the interval after the server has suspended reading. Has no effect if
	 * detection has not started.
	 * @param pipeline the connection's pipeline
	 */
	static void restart(ChannelPipeline pipeline) {
		KeepAlive detector = pipeline.get(KeepAlive.class);
		if (detector != null) {
			detector.resetReadTimeout();
		}
	}

	@Override
	protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
		if (event.state() == IdleState.READER_IDLE) {
			this.expired.run();
		}
		else if (!event.isFirst() && !context.channel().isWritable()) {
			// Because the connection is not being read, its end would otherwise go
			// unnoticed.
			context.close();
		}
	}

}
