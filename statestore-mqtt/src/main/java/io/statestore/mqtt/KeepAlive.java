package io.statestore.mqtt;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends a PINGREQ every half keep-alive interval. Reports that the broker is silent if
 * nothing has arrived for half an interval. While a large packet delays the PINGREQ,
 * progress in sending that packet is sufficient. Used only on the event loop.
 */
final class KeepAlive {

	private final Output output;

	/** Receives how long no packet has arrived, in milliseconds. */
	private final LongConsumer silent;

	private @Nullable ScheduledFuture<?> timer;

	/** Whether anything has arrived since the last PINGREQ. */
	private boolean alive = true;

	/** Whether the network has accepted the last PINGREQ. */
	private boolean pinged = true;

	/** Whether PINGREQ is being written. */
	private boolean pinging;

	private long sentBytes;

	KeepAlive(Output output, LongConsumer silent) {
		this.output = output;
		this.silent = silent;
	}

	void start(EventLoop loop, long seconds) {
		if (seconds > 0) {
			long halfMillis = seconds * 500;
			// After a pause of the process, checks at a fixed rate would leave no time
			// for a
			// response.
			this.timer = loop.scheduleWithFixedDelay(() -> check(halfMillis), halfMillis, halfMillis,
					TimeUnit.MILLISECONDS);
		}
	}

	void stop() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	/** Called when bytes have arrived. */
	void received() {
		this.alive = true;
	}

	private void check(long millis) {
		long sent = this.output.progress().bytes();
		boolean moved = sent > this.sentBytes;
		this.sentBytes = sent;
		if (!this.alive && (this.pinged || !moved)) {
			this.silent.accept(millis);
			return;
		}
		this.alive = false;
		if (this.pinged) {
			ping();
		}
	}

	private void ping() {
		this.pinged = false;
		this.pinging = true;
		this.output.write(MqttMessage.PINGREQ).addListener((written) -> {
			this.pinged = true;
			// The answer to a delayed PINGREQ may take as long as the answer to any
			// other, counted from now.
			this.alive |= !this.pinging;
		});
		this.output.flush();
		this.pinging = false;
	}

}
