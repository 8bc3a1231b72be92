package io.statestore.client.mqtt.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Output stream for Paho, which flushes after every packet. Each flush would cost a
 * system call and a TCP segment. This stream skips a flush if another publish is known to
 * follow. A single packet is written at once, and packets under load are written
 * together.
 * <p>
 * Like the algorithm of John Nagle (RFC 896), this coalesces small writes. It waits for
 * data that is known to follow, however, and not for an acknowledgment. Thread-safe.
 */
final class CoalescingOutputStream extends OutputStream {

	private static final int CAPACITY = 64 * 1024;

	/** First of the packet types that may wait for a publish: PUBLISH to PUBCOMP. */
	private static final int PUBLISH = 3;

	/** Last of the packet types that may wait for a publish. */
	private static final int PUBCOMP = 7;

	/** Maximum time in milliseconds that bytes wait for a publish. */
	private static final int RESCUE_MILLIS = 5;

	private final ReentrantLock lock = new ReentrantLock();

	private final OutputStream target;

	private final Traffic traffic;

	private final ScheduledExecutorService scheduler;

	private final Runnable abort;

	private final byte[] buffer = new byte[CAPACITY];

	/** Number of bytes in the buffer. */
	private int count;

	/** Type of the packet being written, -1 between packets. */
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

	/** Ends a packet. Called by Paho after each of them. */
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
			if (type < PUBLISH || type > PUBCOMP || !this.traffic.isPublishPending()) {
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
	 * Writes without throwing an exception, because Paho would print its stack trace for
	 * every broken connection. The failure closes the socket, and reading reports it.
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
