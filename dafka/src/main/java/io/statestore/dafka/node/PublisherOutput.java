package io.statestore.dafka.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Encoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;

/**
 * Writes to the publisher socket. The socket refuses what has no room at one of the
 * receivers, so a sender slows down to the slowest of them. A receiver that does not read
 * at all must not stop the others: after {@code stallNanos} messages without room are
 * dropped for a while, but only to those that have none.
 */
final class PublisherOutput implements Output {

	private static final Logger logger = LoggerFactory.getLogger(PublisherOutput.class);

	private static final int MAX_WAITING = 10_000;

	/** How much longer than the stall messages are dropped. */
	private static final int LENIENCE = 10;

	private final ZMQ.Socket socket;

	private final long stallNanos;

	private final LongAdder stalls = new LongAdder();

	private final LongAdder dropped = new LongAdder();

	/** Headers that wait for room; the socket must be offered the refused one first. */
	private final Deque<byte[]> waiting = new ArrayDeque<>();

	private final WarningLimit warnings = new WarningLimit();

	private long now;

	private boolean blocked;

	private long blockedSince;

	private boolean dropping;

	private long droppingUntil;

	PublisherOutput(ZMQ.Socket socket, long stallNanos) {
		this.socket = socket;
		this.stallNanos = stallNanos;
		socket.setXpubNoDrop(true);
	}

	@Override
	public void send(Command command) {
		if (!this.waiting.isEmpty() || this.blocked || !write(Encoder.header(command), ZMQ.DONTWAIT)) {
			if (this.waiting.size() < MAX_WAITING) {
				this.waiting.add(Encoder.header(command));
			}
			else {
				this.dropped.increment();
			}
		}
	}

	@Override
	public boolean hasRoom() {
		return this.waiting.isEmpty();
	}

	@Override
	public boolean isDropping() {
		return this.dropping;
	}

	@Override
	public boolean offer(byte[] header, Bytes content) {
		if (!this.waiting.isEmpty() || !write(header, ZMQ.DONTWAIT | ZMQ.SNDMORE)) {
			return false;
		}
		this.socket.send(content.unwrap(), ZMQ.DONTWAIT);
		return true;
	}

	/** Sends what waits, and begins or ends to drop. To be called in every turn. */
	void turn(long now) {
		this.now = now;
		if (this.dropping && now - this.droppingUntil >= 0) {
			this.dropping = false;
			this.socket.setXpubNoDrop(true);
		}
		if (this.blocked && now - this.blockedSince >= this.stallNanos) {
			this.dropping = true;
			this.droppingUntil = now + LENIENCE * this.stallNanos;
			this.stalls.increment();
			if (this.warnings.permits(now)) {
				logger.warn(
						"A peer did not read for {} ms ('stallTimeout'): what has no room is dropped for {} ms, and the"
								+ " peer may request it later. Similar messages left out: {}",
						TimeUnit.NANOSECONDS.toMillis(this.stallNanos),
						TimeUnit.NANOSECONDS.toMillis(LENIENCE * this.stallNanos), this.warnings.suppressed());
			}
			this.socket.setXpubNoDrop(false);
		}
		while (!this.waiting.isEmpty() && write(this.waiting.element(), ZMQ.DONTWAIT)) {
			this.waiting.remove();
		}
	}

	boolean isBlocked() {
		return this.blocked;
	}

	/** How often a receiver did not read for so long that messages to it were dropped. */
	long stalls() {
		return this.stalls.sum();
	}

	long dropped() {
		return this.dropped.sum();
	}

	private boolean write(byte[] frame, int flags) {
		boolean written = this.socket.send(frame, flags);
		if (!written && !this.blocked) {
			this.blockedSince = this.now;
		}
		this.blocked = !written;
		return written;
	}

}
