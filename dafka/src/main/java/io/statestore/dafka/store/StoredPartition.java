package io.statestore.dafka.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;

/**
 * Partition in a {@link RecordLog}. It has a description, and the {@linkplain Block
 * blocks} of its records.
 */
final class StoredPartition {

	/** Id of a partition that is not written. */
	static final int NEW = -1;

	private static final byte PARTITIONS = 'p';

	private static final byte BLOCKS = 'r';

	/** Appended records that are not written. */
	final List<byte[]> pending = new ArrayList<>();

	private final PartitionKey key;

	int id;

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

	/** Returns whether a key belongs to the description of a partition. */
	static boolean isDescription(byte[] key) {
		return key[0] == PARTITIONS;
	}

	/** Returns the key of the description of a partition. */
	static byte[] descriptionKey(int id) {
		return ByteBuffer.allocate(1 + Integer.BYTES).put(PARTITIONS).putInt(id).array();
	}

	/**
	 * Encodes the description of this partition: its next sequence number and its names.
	 */
	Engine.Entry description() {
		Bytes address = this.key.address();
		Bytes subject = this.key.subject();
		ByteBuffer value = ByteBuffer.allocate(Long.BYTES + 2 + address.size() + subject.size());
		value.putLong(this.next);
		value.put((byte) address.size()).put(address.unwrap()).put((byte) subject.size()).put(subject.unwrap());
		return new Engine.Entry(descriptionKey(this.id), value.array());
	}

	/** Decodes the description of a partition. */
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

	/** Returns the keys of the blocks that begin before a record. */
	Engine.Range blocksBefore(long end) {
		return new Engine.Range(blockKey(0), blockKey(end));
	}

	/** Returns whether a key belongs to a block of this partition. */
	boolean hasBlock(byte[] key) {
		return key[0] == BLOCKS && ByteBuffer.wrap(key).getInt(1) == this.id;
	}

	/** Returns the sequence number of the first record of a block. */
	static long firstOf(byte[] key) {
		return ByteBuffer.wrap(key).getLong(1 + Integer.BYTES);
	}

}
