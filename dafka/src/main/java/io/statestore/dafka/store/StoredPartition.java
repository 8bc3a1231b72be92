package io.statestore.dafka.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;

/**
 * Partition in a {@link RecordLog}, stored as a description and the {@linkplain Block
 * blocks} with its records.
 */
final class StoredPartition {

	/** ID of a partition that is not written yet. */
	static final int NEW = -1;

	private static final byte PARTITIONS = 'p';

	private static final byte BLOCKS = 'r';

	/** Appended records that are not written yet. */
	final List<byte[]> pending = new ArrayList<>();

	private final PartitionKey key;

	int id;

	long next;

	/** Size of this partition's blocks, in bytes. */
	long bytes;

	/**
	 * Time of the oldest block, in milliseconds since the epoch; {@link Long#MIN_VALUE}
	 * if unknown.
	 */
	long oldestMillis = Long.MIN_VALUE;

	StoredPartition(int id, PartitionKey key, long next) {
		this.id = id;
		this.key = key;
		this.next = next;
	}

	/**
	 * Returns the key of this partition.
	 * @return producer's address and topic
	 */
	public PartitionKey key() {
		return this.key;
	}

	/**
	 * Returns whether there are written records.
	 * @return {@code false} before the first record, or if retention has removed all
	 * records
	 */
	public boolean hasRecords() {
		return this.bytes > 0;
	}

	/**
	 * Returns the sequence number after the last written record.
	 * @return the number; 0 before the first record
	 */
	public long next() {
		return this.next;
	}

	/** Returns whether a key is the key of a partition description. */
	static boolean isDescription(byte[] key) {
		return key[0] == PARTITIONS;
	}

	static byte[] descriptionKey(int id) {
		return ByteBuffer.allocate(1 + Integer.BYTES).put(PARTITIONS).putInt(id).array();
	}

	/**
	 * Encodes this partition's description: its next sequence number and its names.
	 */
	Engine.Entry description() {
		Bytes address = this.key.address();
		Bytes subject = this.key.subject();
		ByteBuffer value = ByteBuffer.allocate(Long.BYTES + 2 + address.size() + subject.size());
		value.putLong(this.next);
		value.put((byte) address.size()).put(address.unwrap()).put((byte) subject.size()).put(subject.unwrap());
		return new Engine.Entry(descriptionKey(this.id), value.array());
	}

	static StoredPartition of(byte[] key, byte[] value) {
		ByteBuffer buffer = ByteBuffer.wrap(value);
		long next = buffer.getLong();
		Bytes address = readName(buffer);
		Bytes subject = readName(buffer);
		return new StoredPartition(ByteBuffer.wrap(key).getInt(1), new PartitionKey(address, subject), next);
	}

	private static Bytes readName(ByteBuffer buffer) {
		byte[] name = new byte[buffer.get() & 0xFF];
		buffer.get(name);
		return Bytes.wrap(name);
	}

	/** Returns the key of the block that begins with a record. */
	byte[] blockKey(long first) {
		return ByteBuffer.allocate(1 + Integer.BYTES + Long.BYTES).put(BLOCKS).putInt(this.id).putLong(first).array();
	}

	/** Returns the key range of the blocks that begin before a record. */
	Engine.Range blocksBefore(long end) {
		return new Engine.Range(blockKey(0), blockKey(end));
	}

	boolean hasBlock(byte[] key) {
		return key[0] == BLOCKS && ByteBuffer.wrap(key).getInt(1) == this.id;
	}

	/** Returns the sequence number of a block's first record. */
	static long firstOf(byte[] key) {
		return ByteBuffer.wrap(key).getLong(1 + Integer.BYTES);
	}

}
