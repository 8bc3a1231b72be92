package io.statestore.dafka.store;

import java.nio.ByteBuffer;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;

/**
 * Encoding of the entries of a {@link RecordLog}. There is a description of each
 * partition, with its next sequence number and its names, and the {@linkplain Block
 * blocks} of its records.
 */
final class LogEntries {

	private static final byte PARTITIONS = 'p';

	private static final byte BLOCKS = 'r';

	private LogEntries() {
	}

	/** Returns whether a key belongs to the description of a partition. */
	static boolean isPartition(byte[] key) {
		return key[0] == PARTITIONS;
	}

	/** Returns the key of the description of a partition. */
	static byte[] partitionKey(int id) {
		return ByteBuffer.allocate(1 + Integer.BYTES).put(PARTITIONS).putInt(id).array();
	}

	/** Encodes the description of a partition. */
	static Engine.Entry description(StoredPartition partition) {
		Bytes address = partition.key().address();
		Bytes subject = partition.key().subject();
		ByteBuffer value = ByteBuffer.allocate(Long.BYTES + 2 + address.size() + subject.size());
		value.putLong(partition.next);
		value.put((byte) address.size()).put(address.unwrap()).put((byte) subject.size()).put(subject.unwrap());
		return new Engine.Entry(partitionKey(partition.id), value.array());
	}

	/** Decodes the description of a partition. */
	static StoredPartition partition(byte[] key, byte[] value) {
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
	static byte[] blockKey(int id, long first) {
		return ByteBuffer.allocate(1 + Integer.BYTES + Long.BYTES).put(BLOCKS).putInt(id).putLong(first).array();
	}

	/** Returns the keys of the blocks that begin before a record. */
	static Engine.Range range(int id, long end) {
		return new Engine.Range(blockKey(id, 0), blockKey(id, end));
	}

	/** Returns whether a key belongs to a block of a partition. */
	static boolean isBlockOf(int id, byte[] key) {
		return key[0] == BLOCKS && ByteBuffer.wrap(key).getInt(1) == id;
	}

	/** Returns the sequence number of the first record of a block. */
	static long firstOf(byte[] key) {
		return ByteBuffer.wrap(key).getLong(1 + Integer.BYTES);
	}

}
