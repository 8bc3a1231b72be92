package io.statestore.dafka.node.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Total size of the messages that wait in a socket. The I/O thread adds the sizes of
 * arrived messages, and the owner of the socket subtracts those of received ones. JeroMQ
 * itself only counts messages.
 */
final class QueuedBytes {

	private final long maxBytes;

	/** Size of all arrived messages. Written by the I/O thread. */
	private final AtomicLong added = new AtomicLong();

	/** Size of all received messages. Written by the owner. */
	private final AtomicLong received = new AtomicLong();

	/** Copy of {@link #received} for the I/O thread, updated only when necessary. */
	private long seen;

	QueuedBytes(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	/** Returns whether another message may be added. Called by the I/O thread. */
	boolean hasRoom() {
		long added = this.added.get();
		if (added - this.seen <= this.maxBytes) {
			return true;
		}
		this.seen = this.received.get();
		return added - this.seen <= this.maxBytes;
	}

	/** Adds an arrived message. Called by the I/O thread. */
	void add(long bytes) {
		// There is a single writer, so no fence is needed.
		this.added.lazySet(this.added.get() + bytes);
	}

	/**
	 * Returns the total size of arrived messages. Must be called before receiving.
	 * @return number of bytes since the start
	 */
	public long arrived() {
		return this.added.get();
	}

	/**
	 * Subtracts messages that the owner has received.
	 * @param bytes size of the messages
	 */
	public void received(long bytes) {
		this.received.lazySet(this.received.get() + bytes);
	}

	/**
	 * Records that the socket was empty. Corrects for messages of closed connections,
	 * which are never received.
	 * @param arrived the result of {@link #arrived()} before receiving
	 */
	public void empty(long arrived) {
		if (this.received.get() < arrived) {
			this.received.lazySet(arrived);
		}
	}

}
