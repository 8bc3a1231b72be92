package io.statestore.dafka.zmtp;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Total size of the messages waiting in a socket. The I/O thread adds their sizes, and
 * the owner of the socket subtracts those it received. JeroMQ only counts messages.
 */
public final class QueuedBytes {

	private final long maxBytes;

	/** Written by the I/O thread. */
	private final AtomicLong added = new AtomicLong();

	/** Written by the owner. */
	private final AtomicLong received = new AtomicLong();

	/** Copy of {@link #received} in the I/O thread, which seldom reads the original. */
	private long seen;

	QueuedBytes(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	boolean hasRoom() {
		long added = this.added.get();
		if (added - this.seen <= this.maxBytes) {
			return true;
		}
		this.seen = this.received.get();
		return added - this.seen <= this.maxBytes;
	}

	void add(long bytes) {
		// A single writer needs no fence for each message.
		this.added.lazySet(this.added.get() + bytes);
	}

	/**
	 * Returns the total size of arrived messages. Called before receiving.
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
