package io.statestore.dafka.zmtp;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Size of the messages that wait in a socket. The I/O thread adds, the owner of the
 * socket subtracts what it received. JeroMQ counts messages only.
 */
public final class QueuedBytes {

	private final long maxBytes;

	/** Written by the I/O thread. */
	private final AtomicLong added = new AtomicLong();

	/** Written by the owner. */
	private final AtomicLong received = new AtomicLong();

	/** What the I/O thread saw of {@link #received}, to look there rarely. */
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
		// One writer, and no fence for each message.
		this.added.lazySet(this.added.get() + bytes);
	}

	/**
	 * Returns the total that has arrived, to be read before receiving.
	 * @return number of bytes since the start
	 */
	public long arrived() {
		return this.added.get();
	}

	/**
	 * Subtracts what the owner received.
	 * @param bytes size of the messages
	 */
	public void received(long bytes) {
		this.received.lazySet(this.received.get() + bytes);
	}

	/**
	 * Records that the socket was empty. Corrects for messages of closed connections,
	 * which are never received.
	 * @param arrived what {@link #arrived()} returned before
	 */
	public void empty(long arrived) {
		if (this.received.get() < arrived) {
			this.received.lazySet(arrived);
		}
	}

}
