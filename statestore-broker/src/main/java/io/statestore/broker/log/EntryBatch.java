package io.statestore.broker.log;

import java.nio.ByteBuffer;

/**
 * Entries to append together. Holds them in the form in which they are written, so that
 * appending copies nothing. May be reused after {@link #clear()}. Not thread-safe.
 */
public final class EntryBatch {

	/** Maximum size of a batch, in bytes. Each entry takes 4 bytes besides its content. */
	public static final int MAX_BYTES = 1 << 30;

	/**
	 * Adds an entry.
	 * @param entry the entry, of which all remaining bytes are read
	 * @throws IllegalArgumentException if the batch would exceed {@link #MAX_BYTES}
	 */
	public void add(ByteBuffer entry) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Adds an entry.
	 * @param entry the entry
	 * @throws IllegalArgumentException if the batch would exceed {@link #MAX_BYTES}
	 */
	public void add(byte[] entry) {
		add(ByteBuffer.wrap(entry));
	}

	/**
	 * Adds an entry whose content the caller writes into the returned buffer, before the
	 * next call of this batch.
	 * @param size size of the entry, in bytes
	 * @return a direct big-endian buffer with exactly this capacity
	 * @throws IllegalArgumentException if the batch would exceed {@link #MAX_BYTES}
	 */
	public ByteBuffer add(int size) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Returns the number of entries.
	 * @return the number of entries
	 */
	public int count() {
		return 0;
	}

	/**
	 * Returns the size of the batch, as {@link #MAX_BYTES} limits it.
	 * @return the size in bytes
	 */
	public int bytes() {
		return 0;
	}

	/** Removes all entries. */
	public void clear() {
	}

}
