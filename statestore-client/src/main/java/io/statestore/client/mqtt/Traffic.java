package io.statestore.client.mqtt;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/** What the two directions of a socket and those who publish tell each other. */
final class Traffic {

	private final Progress read = new Progress();

	private final Progress write = new Progress();

	private final AtomicLong given = new AtomicLong();

	private final AtomicLong written = new AtomicLong();

	private final CountDownLatch firstWrite = new CountDownLatch(1);

	private final AtomicReference<@Nullable IOException> writeFailure = new AtomicReference<>();

	/** What Paho has read. */
	Progress read() {
		return this.read;
	}

	/** What Paho has written. */
	Progress write() {
		return this.write;
	}

	/**
	 * Whether a packet so large that it takes longer than from the last look to this one
	 * is on its way: whatever follows it has to wait. Asked by one thread at a time.
	 */
	boolean lookIsWithinPacket() {
		boolean reading = this.read.lookIsWithinPacket();
		return this.write.lookIsWithinPacket() || reading;
	}

	/** Paho is given a publish. */
	void publishGiven() {
		this.given.incrementAndGet();
	}

	/** Paho did not take the last one. */
	void publishRefused() {
		this.given.decrementAndGet();
	}

	/** Paho has written a publish. */
	void publishWritten() {
		this.written.incrementAndGet();
	}

	/** Whether Paho is about to write a publish. */
	boolean isPublishComing() {
		return this.given.get() > this.written.get();
	}

	/** Paho writes for the first time, or never will. */
	void startWriting() {
		this.firstWrite.countDown();
	}

	boolean hasStartedWriting() {
		return this.firstWrite.getCount() == 0;
	}

	void awaitFirstWrite() throws InterruptedException {
		this.firstWrite.await();
	}

	void writeFailed(IOException failure) {
		this.writeFailure.compareAndSet(null, failure);
	}

	/** Why the socket was closed from our side, {@code null} if it was not for that. */
	@Nullable IOException writeFailure() {
		return this.writeFailure.get();
	}

}
