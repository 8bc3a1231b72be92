package io.statestore.dafka.store.storage;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A sorted map of bytes, the least that an embedded storage engine can do. Keys are
 * ordered as unsigned bytes. Used by one thread.
 */
public interface Engine extends AutoCloseable {

	/** A key and its value. */
	record Entry(byte[] key, byte[] value) {
	}

	/** The keys from {@code from} (inclusive) to {@code to} (exclusive). */
	record Range(byte[] from, byte[] to) {
	}

	/** What to do with entries in order. */
	@FunctionalInterface
	interface Visitor {

		/** Whether to go on. */
		boolean visit(byte[] key, byte[] value);

	}

	/**
	 * Writes all or nothing.
	 * @param sync whether to return only when it is on the disk
	 */
	void write(List<Entry> entries, boolean sync);

	/** The last entry with a key that is not greater. */
	@Nullable Entry floor(byte[] key);

	/** The entries from a key on. */
	void scan(byte[] from, Visitor visitor);

	/**
	 * Removes the entries of all ranges. This change, and every write before it, is on
	 * the disk before any space is freed: a power failure leaves the entries of a range
	 * or none of them.
	 * @param ranges to be removed
	 */
	void remove(List<Range> ranges);

	/** Describes where the entries are kept, for messages. */
	String location();

	@Override
	void close();

}
