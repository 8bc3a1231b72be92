package io.statestore.dafka.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Sorted map of bytes, which an embedded storage engine implements. Keys are ordered as
 * unsigned bytes. Used by one thread, unless the implementation permits more.
 */
interface Engine extends AutoCloseable {

	/**
	 * Key and value.
	 *
	 * @param key the key
	 * @param value the value
	 */
	record Entry(byte[] key, byte[] value) {
	}

	/**
	 * Range of keys.
	 *
	 * @param from first key
	 * @param to key after the last one
	 */
	record Range(byte[] from, byte[] to) {
	}

	/** Visitor of entries, in order. */
	@FunctionalInterface
	interface Visitor {

		/**
		 * Handles an entry.
		 * @param key the key
		 * @param value the value
		 * @return whether to continue with the next entry
		 */
		boolean visit(byte[] key, byte[] value);

	}

	/**
	 * Writes entries, all or none.
	 * @param entries the entries
	 * @param sync whether to wait until they are on the disk
	 * @throws StorageException if the write fails
	 */
	void write(List<Entry> entries, boolean sync);

	/**
	 * Returns the last entry whose key is not greater than a key.
	 * @param key the key
	 * @return the entry, or {@code null} if there is none
	 * @throws StorageException if the read fails
	 */
	@Nullable Entry floor(byte[] key);

	/**
	 * Visits entries until the visitor stops.
	 * @param from first key
	 * @param visitor receives the entries
	 * @throws StorageException if the read fails
	 */
	void scan(byte[] from, Visitor visitor);

	/**
	 * Removes the entries of ranges. This change, and every write before it, is on the
	 * disk before any space is freed. After a power failure, all entries of a range
	 * exist, or none of them.
	 * @param ranges the ranges
	 * @throws StorageException if the removal fails
	 */
	void remove(List<Range> ranges);

	/**
	 * Returns the location of the entries, for messages.
	 * @return a description
	 */
	String location();

	/** Closes the engine, after all writes are on the disk. */
	@Override
	void close();

}
