package io.statestore.dafka.store;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.reading.internal.PartitionKey;

/** Partition in a {@link RecordLog}. */
final class StoredPartition {

	/** Id of a partition that is not written. */
	static final int NEW = -1;

	int id;

	/** Appended records that are not written. */
	final List<byte[]> pending = new ArrayList<>();

	private final PartitionKey key;

	/** Sequence number after the last written record. */
	long next;

	/** Size of its blocks, in bytes. */
	long bytes;

	/** Time of the oldest block, {@link Long#MIN_VALUE} if it is unknown. */
	long oldestMillis = Long.MIN_VALUE;

	StoredPartition(int id, PartitionKey key, long next) {
		this.id = id;
		this.key = key;
		this.next = next;
	}

	/**
	 * Returns the key of this partition.
	 * @return the key
	 */
	public PartitionKey key() {
		return this.key;
	}

	/**
	 * Returns whether there are written records. Retention may have removed all of them.
	 * @return whether there are records
	 */
	public boolean hasRecords() {
		return this.bytes > 0;
	}

	/**
	 * Returns the sequence number after the last written record.
	 * @return the number
	 */
	public long next() {
		return this.next;
	}

}
