package io.statestore.dafka.store.storage;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.wire.PartitionKey;

/** A partition in a {@link RecordLog}. */
public final class StoredPartition {

	/** Id of a partition of which nothing is written yet. */
	static final int NEW = -1;

	int id;

	final List<byte[]> pending = new ArrayList<>();

	private final PartitionKey key;

	/** The first record that is not written yet. */
	long next;

	/** Bytes of its blocks. */
	long bytes;

	/** Time of the oldest block, or the lowest value if it is not known. */
	long oldestMillis = Long.MIN_VALUE;

	StoredPartition(int id, PartitionKey key, long next) {
		this.id = id;
		this.key = key;
		this.next = next;
	}

	public PartitionKey key() {
		return this.key;
	}

	/** Returns whether there are records, as long as retention left some. */
	public boolean hasRecords() {
		return this.bytes > 0;
	}

	/** The number behind the last record that is written. */
	public long next() {
		return this.next;
	}

}
