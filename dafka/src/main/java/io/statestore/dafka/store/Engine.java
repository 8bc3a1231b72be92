package io.statestore.dafka.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Sorted map from bytes to bytes, implemented by an embedded storage engine. Keys are
 * ordered as unsigned bytes. Used by one thread, unless the implementation permits more
 * threads.
 */
interface Engine extends AutoCloseable {

	/**
	 * Key with its value.
	 *
	 * @param key key bytes, which are not modified
	 * @param value value bytes, which are not modified
	 */
	record Entry(byte[] key, byte[] value) {
	}

	/**
	 * Range of keys.
	 *
	 * @param from first key, inclusive
	 * @param to last key, exclusive
	 */
	record Range(byte[] from, byte[] to) {
	}

	/** Receives entries in key order. */
	@FunctionalInterface
	interface Visitor {

		/**
		 * Handles an entry.
		 * @param key key of the entry
		 * @param value value of the entry
		 * @return whether to continue with the next entry
		 */
		boolean visit(byte[] key, byte[] value);

	}

	/**
	 * Writes entries atomically.
	 * @param entries entries to add or replace
	 * @param sync whether to wait until they are on disk
	 * @throws StorageException if the write fails
	 */
	void write(List<Entry> entries, boolean sync);

	/**
	 * Returns the last entry whose key is not greater than the given key.
	 * @param key upper bound, inclusive
	 * @return the entry, or {@code null} if there is none
	 * @throws StorageException if the read fails
	 */
	@Nullable Entry floor(byte[] key);

	/**
	 * Visits entries in key order until the visitor stops.
	 * @param from first key, inclusive
	 * @param visitor receives the entries
	 * @throws StorageException if the read fails
	 */
	void scan(byte[] from, Visitor visitor);

	/**
	 * Removes the entries in the given ranges. This change and all earlier writes are on
	 * disk before any space is freed. After a power failure, either all entries of a
	 * range exist or none.
	 * @param ranges ranges of keys to remove
	 * @throws StorageException if the removal fails
	 */
	void remove(List<Range> ranges);

	/**
	 * Returns where the entries are stored, for messages.
	 * @return a description of the location
	 */
	String location();

	/** Closes the engine once all writes are on disk. */
	@Override
	void close();

}
