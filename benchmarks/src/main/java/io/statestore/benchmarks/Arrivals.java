package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Counts what one thread receives, and looks at each content: the same for every
 * contestant. The first byte tells what a record is for.
 */
final class Arrivals {

	/** Finds out whether the receiver is connected; not counted. */
	static final byte HELLO = 1;

	/** The eight bytes behind are the time at which it should have been sent. */
	static final byte TIMED = 2;

	private static final long PATIENCE_SECONDS = 120;

	private final CountDownLatch connected = new CountDownLatch(1);

	private volatile Round round = new Round(Long.MAX_VALUE, 0);

	boolean isConnected() throws InterruptedException {
		return this.connected.await(10, TimeUnit.MILLISECONDS);
	}

	/** Begins to count up to a number of records, before the first is sent. */
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

	/** What arrives in one round. */
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

		/** How long each timed record took, once all are there. */
		long[] await() throws InterruptedException {
			if (!this.complete.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException(
						"Only " + this.count + " of " + this.expected + " records arrived, " + this.bytes + " bytes");
			}
			return this.nanos;
		}

	}

}
