package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.netty.channel.ChannelHandlerContext;
import io.statestore.broker.packet.Packets;

/**
 * Keeps the broker's keep-alive supervision informed. It sees only the packets that are
 * passed on, so a client that sends nothing but requests would look dead. Now and then a
 * ping in its name tells otherwise; the answer to that is not for the client.
 */
final class KeepAliveRelay {

	/** Well below half a second, the slack of the shortest keep-alive. */
	static final Duration INTERVAL = Duration.ofMillis(200);

	private final LongSupplier nanoTime;

	private long lastPassed;

	private int unansweredPings;

	KeepAliveRelay(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.lastPassed = nanoTime.getAsLong();
	}

	/** A packet of the client goes on to the broker. */
	void passed() {
		this.lastPassed = this.nanoTime.getAsLong();
	}

	/** A packet of the client ends here. */
	void consumed(ChannelHandlerContext context) {
		long now = this.nanoTime.getAsLong();
		if (now - this.lastPassed >= INTERVAL.toNanos()) {
			this.lastPassed = now;
			this.unansweredPings++;
			context.fireChannelRead(Packets.pingRequest());
		}
	}

	/**
	 * The broker answers a ping.
	 * @return whether it was one of ours, whose answer the client must not see
	 */
	boolean isOwnAnswer() {
		boolean own = this.unansweredPings > 0;
		if (own) {
			this.unansweredPings--;
		}
		return own;
	}

}
