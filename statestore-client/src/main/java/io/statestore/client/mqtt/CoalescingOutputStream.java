package io.statestore.client.mqtt;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where Paho writes. Paho flushes after every packet, which costs a system call and a TCP
 * segment each. This stream writes at a flush only if no publish is known to follow: a
 * lone packet leaves at once, packets under load leave together.
 */
final class CoalescingOutputStream extends OutputStream {

	private static final int CAPACITY = 64 * 1024;

	/** Packets that may wait for a publish that follows: PUBLISH and its answers. */
	private static final int PUBLISH = 3;

	private static final int PUBCOMP = 7;

	/** How long bytes stay should the publish that was announced never come. */
	private static final int RESCUE_MILLIS = 5;

	private final ReentrantLock lock = new ReentrantLock();

	private final OutputStream target;

	private final Traffic traffic;

	private final ScheduledExecutorService scheduler;

	private final Runnable abort;

	private final byte[] buffer = new byte[CAPACITY];

	private int count;

	private int packetType = -1;

	private boolean rescueScheduled;

	/**
	 * @param abort closes the socket
	 */
	CoalescingOutputStream(OutputStream target, Traffic traffic, ScheduledExecutorService scheduler, Runnable abort) {
		this.target = target;
		this.traffic = traffic;
		this.scheduler = scheduler;
		this.abort = abort;
	}

	@Override
	public void write(int single) {
		write(new byte[] { (byte) single }, 0, 1);
	}

	@Override
	public void write(byte[] bytes, int offset, int length) {
		this.traffic.startWriting();
		if (length == 0) {
			return;
		}
		this.lock.lock();
		try {
			if (this.packetType < 0) {
				this.packetType = (bytes[offset] >> 4) & 0x0F;
			}
			if (this.count + length > CAPACITY) {
				writeBuffer();
			}
			if (length > CAPACITY) {
				writeToTarget(bytes, offset, length);
				return;
			}
			System.arraycopy(bytes, offset, this.buffer, this.count, length);
			this.count += length;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** A packet is complete. */
	@Override
	public void flush() {
		this.lock.lock();
		try {
			int type = this.packetType;
			this.packetType = -1;
			this.traffic.write().nextPacket();
			if (type == PUBLISH) {
				this.traffic.publishWritten();
			}
			if (type < PUBLISH || type > PUBCOMP || !this.traffic.isPublishComing()) {
				writeBuffer();
			}
			else if (!this.rescueScheduled) {
				scheduleRescue();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void scheduleRescue() {
		try {
			this.scheduler.schedule(this::rescue, RESCUE_MILLIS, TimeUnit.MILLISECONDS);
			this.rescueScheduled = true;
		}
		catch (RejectedExecutionException ex) {
			// The link is closing. Paho would print the exception with its stack trace.
			writeBuffer();
		}
	}

	private void rescue() {
		this.lock.lock();
		try {
			this.rescueScheduled = false;
			writeBuffer();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void writeBuffer() {
		if (this.count > 0) {
			int length = this.count;
			this.count = 0;
			writeToTarget(this.buffer, 0, length);
		}
	}

	/**
	 * An error is not thrown: Paho would print it with its stack trace, for every broken
	 * connection. Its reader, which meets the closed socket, tells it quietly.
	 */
	private void writeToTarget(byte[] bytes, int offset, int length) {
		try {
			this.target.write(bytes, offset, length);
			this.traffic.write().moved(length);
		}
		catch (IOException ex) {
			this.traffic.writeFailed(ex);
			this.abort.run();
		}
	}

	@Override
	public void close() throws IOException {
		this.target.close();
	}

}
