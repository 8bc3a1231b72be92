package io.statestore.broker.memory;

/**
 * The division of the heap among the store, its clients, and the MQTT broker around it.
 *
 * @param heapBytes maximum size of the heap
 */
public record HeapPlan(long heapBytes) {

	/** Estimated heap of a key in addition to its own bytes and those of its value. */
	public static final int KEY_OVERHEAD = 240;

	private static final int BYTES_PER_KEY = 2_048;

	private static final int MESSAGES_FRACTION = 8;

	private static final int REPLIES_FRACTION = 16;

	/**
	 * Returns the plan for this JVM.
	 * @return a plan for its maximum heap
	 */
	public static HeapPlan ofThisJvm() {
		return new HeapPlan(Runtime.getRuntime().maxMemory());
	}

	/**
	 * Returns the default limit of keys.
	 * @return one for each 2 KiB
	 */
	public long maxKeys() {
		return Math.max(1, this.heapBytes / BYTES_PER_KEY);
	}

	/**
	 * Returns the default limit of the bytes of keys and values.
	 * @return a quarter of the heap
	 */
	public long maxBytes() {
		return Math.max(1, this.heapBytes / 4);
	}

	/**
	 * Returns the default memory of all clients together.
	 * @return a quarter of the heap, at least 1 MiB
	 */
	public long clientMemory() {
		return Math.max(1 << 20, this.heapBytes / 4);
	}

	/**
	 * Returns the memory of ordinary MQTT messages that are queued.
	 * @return an eighth of the heap
	 */
	public long messageMemory() {
		return this.heapBytes / MESSAGES_FRACTION;
	}

	/**
	 * Returns the memory of remembered replies.
	 * @return a sixteenth of the heap
	 */
	public long replyMemory() {
		return this.heapBytes / REPLIES_FRACTION;
	}

	/**
	 * Checks limits against the heap.
	 * @param maxKeys limit of keys
	 * @param maxBytes limit of the bytes of keys and values
	 * @param clientMemory limit of all clients together
	 * @throws IllegalArgumentException if they need more than the heap has
	 */
	public void require(long maxKeys, long maxBytes, long clientMemory) {
		// In floating point, because any limit may be Long.MAX_VALUE.
		double keys = (double) Math.min(maxKeys, maxBytes) * KEY_OVERHEAD;
		double needed = keys + maxBytes + clientMemory + messageMemory() + replyMemory();
		if (needed > this.heapBytes) {
			throw new IllegalArgumentException(String.format(
					"Options 'maxBytes' (%d), 'maxKeys' (%d) and 'clientMemory' (%d) need a heap of %.0f MiB, "
							+ "but the maximum heap of this JVM is %d MiB. Raise it with -Xmx, or lower one of them",
					maxBytes, maxKeys, clientMemory, Math.ceil(needed / (1 << 20)), this.heapBytes >> 20));
		}
	}

}
