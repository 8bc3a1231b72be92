package io.statestore.client.mqtt.internal;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * State shared by both directions of a socket and by publishing threads. Thread-safe.
 */
final class Traffic {

	private final Counter read = new Counter();

	private final Counter write = new Counter();

	/** Publishes that Paho has accepted. */
	private final AtomicLong submitted = new AtomicLong();

	/** Publishes that Paho has written. */
	private final AtomicLong written = new AtomicLong();

	private final CountDownLatch firstWrite = new CountDownLatch(1);

	private final AtomicReference<@Nullable IOException> writeFailure = new AtomicReference<>();

	/** Returns what Paho has read. */
	Counter read() {
		return this.read;
	}

	/** Returns what Paho has written. */
	Counter write() {
		return this.write;
	}

	/** Returns the progress of both directions. */
	TransferProgress progress() {
		return new TransferProgress(this.read.progress(), this.write.progress());
	}

	/** Records that a publish is handed to Paho. */
	void publishSubmitted() {
		this.submitted.incrementAndGet();
	}

	/** Records that Paho did not accept the publish handed to it. */
	void publishRejected() {
		this.submitted.decrementAndGet();
	}

	/** Records that Paho has written a publish. */
	void publishWritten() {
		this.written.incrementAndGet();
	}

	/** Returns whether Paho is about to write a publish. */
	boolean isPublishPending() {
		return this.submitted.get() > this.written.get();
	}

	/** Records that Paho writes for the first time, or that it never will. */
	void startWriting() {
		this.firstWrite.countDown();
	}

	/** Returns whether Paho has started to write. */
	boolean hasStartedWriting() {
		return this.firstWrite.getCount() == 0;
	}

	/** Waits until Paho has started to write. */
	void awaitFirstWrite() throws InterruptedException {
		this.firstWrite.await();
	}

	/** Records a failed write, of which the first is kept. */
	void writeFailed(IOException failure) {
		this.writeFailure.compareAndSet(null, failure);
	}

	/**
	 * Returns the failed write that closed the socket, or {@code null} if there is none.
	 */
	@Nullable IOException writeFailure() {
		return this.writeFailure.get();
	}

	/** Counts the packets and bytes of one direction. Thread-safe. */
	static final class Counter {

		private final AtomicLong packets = new AtomicLong();

		private final AtomicLong bytes = new AtomicLong();

		/** Adds a number of transferred bytes. */
		void moved(int count) {
			this.bytes.addAndGet(count);
		}

		/** Starts another packet, to which subsequent bytes belong. */
		void nextPacket() {
			this.packets.incrementAndGet();
		}

		private TransferProgress.Direction progress() {
			return new TransferProgress.Direction(this.packets.get(), this.bytes.get());
		}

	}

}
