package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Stream of records from a sender to a receiver. Counts the records received by one
 * thread and reads their content, in the same way for every implementation. The first
 * byte of a record is its kind.
 */
abstract class RecordStream implements AutoCloseable {

	/** Record that proves that the receiver is connected. Not counted. */
	static final byte[] HELLO = { 1 };

	/** Kind of record whose next eight bytes are the time when it was due to be sent. */
	static final byte TIMED = 2;

	private static final long TIMEOUT_SECONDS = 120;

	private final CountDownLatch connected = new CountDownLatch(1);

	private volatile Round round = new Round(0);

	/**
	 * Sends a record. Waits while buffers are full.
	 * @return a future that completes when the record counts as sent
	 */
	abstract CompletableFuture<?> send(byte[] content);

	/** Waits until the receiver is connected. */
	void awaitConnected() throws InterruptedException {
		while (!this.connected.await(10, TimeUnit.MILLISECONDS)) {
			send(HELLO);
		}
	}

	/** Starts a round. Must be called before its first record is sent. */
	Round expect(int records) {
		this.round = new Round(records);
		return this.round;
	}

	/** Handles a received record. Called by the receiver's thread. */
	void arrived(byte[] content) {
		if (content[0] == HELLO[0]) {
			this.connected.countDown();
			return;
		}
		Round round = this.round;
		if (content[0] == TIMED) {
			round.nanos[round.count] = System.nanoTime() - ByteBuffer.wrap(content).getLong(1);
		}
		if (++round.count == round.nanos.length) {
			round.complete.countDown();
		}
	}

	/** Counts the records received in one round. */
	static final class Round {

		private final CountDownLatch complete = new CountDownLatch(1);

		private final long[] nanos;

		private int count;

		private Round(int expected) {
			this.nanos = new long[expected];
		}

		/**
		 * Waits for all records. Returns the latency of each timed record, in
		 * nanoseconds.
		 */
		long[] await() throws InterruptedException {
			if (!this.complete.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Only " + this.count + " of " + this.nanos.length + " records arrived");
			}
			return this.nanos;
		}

	}

}
