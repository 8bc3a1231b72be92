package io.statestore.client.mqtt;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How far one direction of a connection has come. Counted by one thread, looked at by
 * another one.
 */
final class Progress {

	private final AtomicLong packets = new AtomicLong();

	private final AtomicLong bytes = new AtomicLong();

	private long packetsBefore;

	private long bytesBefore;

	/** Adds a number of transferred bytes. */
	void moved(int count) {
		this.bytes.addAndGet(count);
	}

	/** What moves from now on belongs to another packet. */
	void nextPacket() {
		this.packets.incrementAndGet();
	}

	/** How many have moved. */
	long bytes() {
		return this.bytes.get();
	}

	/**
	 * Whether something has moved since the last look, and all of it is of one packet.
	 */
	boolean lookIsWithinPacket() {
		long packets = this.packets.get();
		long bytes = this.bytes.get();
		boolean within = packets == this.packetsBefore && bytes > this.bytesBefore;
		this.packetsBefore = packets;
		this.bytesBefore = bytes;
		return within;
	}

}
