package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Counts the records that one thread receives, and reads the content of each, in the same
 * way for every implementation. The first byte of a record is its kind.
 */
final class Arrivals {

	/** Record that shows that the receiver is connected. Not counted. */
	static final byte HELLO = 1;

	/** Record whose next eight bytes are the time at which it was due to be sent. */
	static final byte TIMED = 2;

	private static final long TIMEOUT_SECONDS = 120;

	private final CountDownLatch connected = new CountDownLatch(1);

	private volatile Round round = new Round(Long.MAX_VALUE, 0);

	/** Returns whether the receiver is connected, after waiting up to 10 ms for it. */
	boolean isConnected() throws InterruptedException {
		return this.connected.await(10, TimeUnit.MILLISECONDS);
	}

	/** Starts a round. Must be called before its first record is sent. */
	Round expect(int records, boolean timed) {
		this.round = new Round(records, timed ? records : 0);
		return this.round;
	}

	void arrived(byte[] content) {
		if (content[0] == HELLO) {
			this.connected.countDown();
			return;
		}
		Round round = this.round;
		if (content[0] == TIMED) {
			round.nanos[(int) round.count] = System.nanoTime() - ByteBuffer.wrap(content).getLong(1);
		}
		round.bytes += content.length;
		if (++round.count == round.expected) {
			round.complete.countDown();
		}
	}

	/** Records received in one round. */
	static final class Round {

		private final CountDownLatch complete = new CountDownLatch(1);

		private final long expected;

		private final long[] nanos;

		private long count;

		private long bytes;

		private Round(long expected, int timed) {
			this.expected = expected;
			this.nanos = new long[timed];
		}

		/** Waits for all records, and returns the latency of each timed record in ns. */
		long[] await() throws InterruptedException {
			if (!this.complete.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException(
						"Only " + this.count + " of " + this.expected + " records arrived, " + this.bytes + " bytes");
			}
			return this.nanos;
		}

	}

}
