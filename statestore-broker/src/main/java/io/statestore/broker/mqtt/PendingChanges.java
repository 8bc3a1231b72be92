package io.statestore.broker.mqtt;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;

/**
 * Changes of one connection that are on their way to the log. While there are too many,
 * or the CONNECT is among them, the broker does not read from the client. Used on the
 * event loop of the connection.
 */
final class PendingChanges {

	/** Estimated heap of a change without a message, in bytes. */
	static final int COST = 512;

	/** Maximum number of changes. A client may exceed it by the packets of one read. */
	private static final int MAX = 1_024;

	/** Maximum estimated heap in bytes, which may be exceeded likewise. */
	private static final long MAX_BYTES = 1024 * 1024;

	/** Reading resumes below this part of a maximum. */
	private static final int DIVISOR = 4;

	private final ClientShare memory;

	private final BooleanSupplier crowded;

	private Consumer<Boolean> listener = (full) -> {
	};

	private int count;

	private long bytes;

	private boolean connecting;

	private boolean full;

	/**
	 * Creates an empty object.
	 * @param memory the share of the client
	 * @param crowded returns whether the changes of all connections are too many
	 */
	PendingChanges(ClientShare memory, BooleanSupplier crowded) {
		this.memory = memory;
		this.crowded = crowded;
	}

	/**
	 * Sets the listener.
	 * @param listener called when the changes become too many, and when reading may
	 * resume
	 */
	void setListener(Consumer<Boolean> listener) {
		this.listener = listener;
	}

	boolean isEmpty() {
		return this.count == 0;
	}

	/** Stops reading if the CONNECT has not been executed at once. */
	void waitForConnect() {
		this.connecting = !isEmpty();
		update();
	}

	void connected() {
		this.connecting = false;
		update();
	}

	void add(long bytes) {
		this.count++;
		this.bytes += bytes;
		this.memory.reserve(MemoryUse.INCOMING, bytes);
		update();
	}

	void remove(long bytes) {
		this.count--;
		this.bytes -= bytes;
		this.memory.release(MemoryUse.INCOMING, bytes);
		update();
	}

	private void update() {
		int divisor = this.full ? DIVISOR : 1;
		boolean full = this.connecting || this.count > MAX / divisor || this.bytes > MAX_BYTES / divisor
				|| this.count > 0 && this.crowded.getAsBoolean();
		if (full != this.full) {
			this.full = full;
			this.listener.accept(full);
		}
	}

}
