package io.statestore.client.mqtt.internal;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the packets and bytes of one direction of a connection. Thread-safe. */
final class Progress {

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

	/** Returns the current numbers. */
	TransferProgress.Direction current() {
		return new TransferProgress.Direction(this.packets.get(), this.bytes.get());
	}

}
