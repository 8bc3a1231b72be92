package io.statestore.dafka.node.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.internal.WarningLimit;
import io.statestore.dafka.reading.internal.Command;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the publisher socket. The socket refuses a message if any receiver's queue is
 * full, which slows the sender down to the slowest receiver. A receiver that does not
 * read must not stop the others. Therefore, after {@code stallNanos}, messages to
 * receivers with a full queue are dropped for a while. Used by the node's thread; any
 * thread may read the counters.
 */
final class PublisherOutput implements Machine.Output {

	private static final Logger logger = LoggerFactory.getLogger(PublisherOutput.class);

	private static final int MAX_WAITING = 10_000;

	/** How long messages are dropped, in stall timeouts. */
	private static final int DROP_TIMEOUTS = 10;

	private final Publisher socket;

	private final long stallNanos;

	private final LongAdder stalls = new LongAdder();

	private final LongAdder dropped = new LongAdder();

	/** Encoded commands waiting for room. */
	private final Deque<byte[]> waiting = new ArrayDeque<>();

	private final WarningLimit warnings = new WarningLimit();

	private long now;

	private long blockedSince;

	private long droppingUntil;

	PublisherOutput(Publisher socket, long stallNanos) {
		this.socket = socket;
		this.stallNanos = stallNanos;
		socket.dropping = false;
	}

	@Override
	public void send(Command command) {
		if (!this.waiting.isEmpty() || this.socket.full || !write(command.encode())) {
			if (this.waiting.size() < MAX_WAITING) {
				this.waiting.add(command.encode());
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
		return this.socket.dropping;
	}

	@Override
	public boolean offer(byte[] header, Bytes content) {
		return this.waiting.isEmpty() && write(header, content.unwrap());
	}

	/**
	 * Sends waiting commands and updates whether messages are dropped. Called in every
	 * turn.
	 */
	void turn(long now) {
		this.now = now;
		if (this.socket.dropping && now - this.droppingUntil >= 0) {
			this.socket.dropping = false;
		}
		if (this.socket.full && now - this.blockedSince >= this.stallNanos) {
			this.socket.dropping = true;
			this.droppingUntil = now + DROP_TIMEOUTS * this.stallNanos;
			this.stalls.increment();
			this.warnings.warn(logger, now,
					"A peer has not read for {} ms ('stallTimeout'). Messages to it are dropped for {} ms, and the"
							+ " peer may request them later",
					TimeUnit.NANOSECONDS.toMillis(this.stallNanos),
					TimeUnit.NANOSECONDS.toMillis(DROP_TIMEOUTS * this.stallNanos));
		}
		while (!this.waiting.isEmpty() && write(this.waiting.element())) {
			this.waiting.remove();
		}
	}

	boolean isBlocked() {
		return this.socket.full;
	}

	/**
	 * Returns the number of times that messages were dropped because a receiver did not
	 * read.
	 */
	long stalls() {
		return this.stalls.sum();
	}

	/** Returns the number of commands dropped because too many were waiting. */
	long dropped() {
		return this.dropped.sum();
	}

	private boolean write(byte[]... frames) {
		boolean blocked = this.socket.full;
		boolean written = this.socket.send(frames);
		if (!written && !blocked) {
			this.blockedSince = this.now;
		}
		return written;
	}

}
