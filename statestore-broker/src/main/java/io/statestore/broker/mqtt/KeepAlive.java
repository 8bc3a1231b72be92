package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;

/**
 * Detector of clients that have sent no packet for 1.5 times their keep-alive (MQTT 5
 * section 3.1.2.10). Uses the monotonic clock, so that setting the clock forward
 * disconnects no idle client. Also closes the connection of a client that reads nothing:
 * meanwhile, its packets are not read either.
 */
final class KeepAlive extends IdleStateHandler {

	/** Keep-alive of clients that request none, in seconds. */
	static final int MAX_SECONDS = 65_535;

	/**
	 * Time in which a client has to accept some bytes. The connection of one that does
	 * not ends after one to three times as long.
	 */
	static final long STALL_MILLIS = 30_000;

	private final Runnable expired;

	/**
	 * Creates a detector for an accepted client.
	 * @param requested the keep-alive in the CONNECT in seconds, 0 for none
	 * @param expired called on the event loop, repeatedly while no packet is received
	 */
	KeepAlive(int requested, Runnable expired) {
		super(true, ((requested > 0) ? requested : MAX_SECONDS) * 1_500L, STALL_MILLIS, 0, TimeUnit.MILLISECONDS);
		this.expired = expired;
	}

	/**
	 * Restarts the interval after the server has suspended reading. Has no effect if
	 * detection has not started.
	 * @param pipeline pipeline of the connection
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
			// The end of its connection would remain unnoticed, because it is not read.
			context.close();
		}
	}

}
