package io.statestore.broker.log;

import java.nio.ByteBuffer;

/**
 * Entries to append together, already in their binary format so that appending does not
 * copy them. May be reused after {@link #clear()}. Not thread-safe.
 */
public final class EntryBatch {

	/**
	 * Maximum size of a batch, in bytes. Each entry takes 4 bytes in addition to its
	 * content. The largest MQTT packet, 256 MiB, fits. Replaying a batch requires the
	 * same amount of memory.
	 */
	public static final int MAX_BYTES = 272 << 20;

	private static final int INITIAL_BYTES = 64 << 10;

	/** Maximum size of a buffer kept for reuse, in bytes. */
	private static final int KEPT_BYTES = 4 << 20;

	/** Space for the record header, then the entries up to the position. */
	private ByteBuffer buffer = ByteBuffer.allocateDirect(INITIAL_BYTES).position(RecordFormat.HEADER_BYTES);

	private int count;

	/**
	 * Adds an entry.
	 * @param entry the entry: the buffer's remaining bytes, which are consumed
	 * @throws IllegalArgumentException if the batch would exceed {@link #MAX_BYTES}
	 */
	public void add(ByteBuffer entry) {
		ensureRoom(entry.remaining());
		this.buffer.putInt(entry.remaining()).put(entry);
		this.count++;
	}

	/**
	 * Adds an entry.
	 * @param entry the entry, which is copied
	 * @throws IllegalArgumentException if the batch would exceed {@link #MAX_BYTES}
	 */
	public void add(byte[] entry) {
		add(ByteBuffer.wrap(entry));
	}

	/**
	 * Adds an entry. The caller must write its content into the returned buffer before
	 * calling this batch again.
	 * @param size the entry's size, in bytes
	 * @return a direct big-endian buffer with exactly this capacity
	 * @throws IllegalArgumentException if the batch would exceed {@link #MAX_BYTES}
	 */
	public ByteBuffer add(int size) {
		ensureRoom(size);
		this.buffer.putInt(size);
		ByteBuffer entry = this.buffer.slice(this.buffer.position(), size);
		this.buffer.position(this.buffer.position() + size);
		this.count++;
		return entry;
	}

	/** Makes room for an entry. */
	private void ensureRoom(int size) {
		long bytes = (long) bytes() + Integer.BYTES + size;
		if (bytes > MAX_BYTES) {
			throw new IllegalArgumentException("A batch of " + bytes + " bytes exceeds the limit of " + MAX_BYTES
					+ " bytes. Append the entries in several batches");
		}
		if (RecordFormat.HEADER_BYTES + bytes > this.buffer.capacity()) {
			long capacity = Math.max(2L * this.buffer.capacity(), RecordFormat.HEADER_BYTES + bytes);
			this.buffer = ByteBuffer
				.allocateDirect((int) Math.min(capacity, RecordFormat.HEADER_BYTES + (long) MAX_BYTES))
				.put(this.buffer.flip());
		}
	}

	/**
	 * Returns the number of entries.
	 * @return the number added since the last {@link #clear()}
	 */
	public int count() {
		return this.count;
	}

	/**
	 * Returns the size of the batch, which {@link #MAX_BYTES} limits.
	 * @return the size in bytes
	 */
	public int bytes() {
		return this.buffer.position() - RecordFormat.HEADER_BYTES;
	}

	/** Removes all entries. */
	public void clear() {
		if (this.buffer.capacity() > KEPT_BYTES) {
			this.buffer = ByteBuffer.allocateDirect(INITIAL_BYTES);
		}
		this.buffer.clear().position(RecordFormat.HEADER_BYTES);
		this.count = 0;
	}

	/** Returns the size of the record, in bytes. */
	int recordBytes() {
		return this.buffer.position();
	}

	/** Returns the record to write, which shares memory with this batch. */
	ByteBuffer seal(RecordFormat format, long firstIndex, long forcedIndex) {
		ByteBuffer record = this.buffer.duplicate().flip();
		format.seal(record, firstIndex, this.count, forcedIndex);
		return record;
	}

}
