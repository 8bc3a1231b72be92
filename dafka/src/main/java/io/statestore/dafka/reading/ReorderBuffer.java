package io.statestore.dafka.reading;

import org.jspecify.annotations.Nullable;

/** Records that came too early, bounded in number and bytes. */
final class ReorderBuffer {

	private final int window;

	private final long maxBytes;

	/** Allocated only while there is a gap. */
	private byte @Nullable [] @Nullable [] slots;

	private int count;

	private long bytes;

	ReorderBuffer(int window, long maxBytes) {
		this.window = window;
		this.maxBytes = maxBytes;
	}

	boolean isEmpty() {
		return this.count == 0;
	}

	/** Keeps a record if it is within the window behind {@code next}. */
	boolean put(long next, long sequence, byte[] content) {
		if (sequence - next >= this.window || this.bytes + content.length > this.maxBytes) {
			return false;
		}
		byte @Nullable [] @Nullable [] slots = this.slots;
		if (slots == null) {
			slots = new byte[this.window][];
			this.slots = slots;
		}
		int slot = slot(sequence);
		if (slots[slot] == null) {
			slots[slot] = content;
			this.count++;
			this.bytes += content.length;
		}
		return true;
	}

	byte @Nullable [] get(long sequence) {
		return (this.slots != null) ? this.slots[slot(sequence)] : null;
	}

	void remove(long sequence) {
		byte[] content = get(sequence);
		if (content != null && this.slots != null) {
			this.slots[slot(sequence)] = null;
			this.bytes -= content.length;
			if (--this.count == 0) {
				this.slots = null;
			}
		}
	}

	/** The first record kept, from {@code next} on; there must be one. */
	long first(long next) {
		long sequence = next;
		while (get(sequence) == null) {
			sequence++;
		}
		return sequence;
	}

	void clear() {
		this.slots = null;
		this.count = 0;
		this.bytes = 0;
	}

	private int slot(long sequence) {
		return (int) sequence & (this.window - 1);
	}

}
