package io.statestore.dafka.store.storage;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.wire.PartitionKey;

/** A partition in a {@link RecordLog}. */
public final class StoredPartition {

	final int id;

	final List<byte[]> pending = new ArrayList<>();

	private final PartitionKey key;

	/** The first record that is not written yet. */
	long next;

	/** Bytes of its blocks. */
	long bytes;

	StoredPartition(int id, PartitionKey key, long next) {
		this.id = id;
		this.key = key;
		this.next = next;
	}

	public PartitionKey key() {
		return this.key;
	}

	/** The number behind the last record that is written. */
	public long next() {
		return this.next;
	}

}
