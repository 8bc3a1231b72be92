package io.statestore.dafka.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

/**
 * Encodes consecutive records of a partition: checksum (CRC-32C), time of writing,
 * sequence number after the last record, then the length and content of each record. A
 * block without records states that the records in its range are lost.
 */
final class Block {

	private static final int CHECKSUM_END = Integer.BYTES;

	private static final int HEADER = CHECKSUM_END + 2 * Long.BYTES;

	private Block() {
	}

	/** Receives records in order. */
	@FunctionalInterface
	interface Visitor {

		/** Handles a record and returns whether to continue. */
		boolean visit(long sequence, byte[] content);

	}

	/**
	 * Encodes records.
	 * @param first sequence number of the first record
	 * @param millis time of writing, in milliseconds since the epoch
	 */
	static byte[] encode(long first, List<byte[]> contents, long millis) {
		int size = HEADER;
		for (byte[] content : contents) {
			size += Integer.BYTES + content.length;
		}
		ByteBuffer buffer = start(size, first + contents.size(), millis);
		for (byte[] content : contents) {
			buffer.putInt(content.length).put(content);
		}
		return finish(buffer);
	}

	/**
	 * Encodes a block that states that records are lost.
	 * @param next sequence number after the last lost record
	 * @param millis time of writing, in milliseconds since the epoch
	 */
	static byte[] encodeLost(long next, long millis) {
		return finish(start(HEADER, next, millis));
	}

	/** Returns the time of writing, in milliseconds since the epoch. */
	static long millis(byte[] block) {
		return ByteBuffer.wrap(block).getLong(CHECKSUM_END);
	}

	static long next(byte[] block) {
		return ByteBuffer.wrap(block).getLong(CHECKSUM_END + Long.BYTES);
	}

	/**
	 * Visits the records of a block.
	 * @param first sequence number of the block's first record
	 * @param from sequence number of the first visited record
	 * @return whether to continue with the next block
	 */
	static boolean visit(long first, byte[] block, long from, Visitor visitor) {
		ByteBuffer buffer = ByteBuffer.wrap(block).position(HEADER);
		for (long sequence = first; buffer.hasRemaining(); sequence++) {
			int length = buffer.getInt();
			int start = buffer.position();
			buffer.position(start + length);
			if (sequence >= from && !visitor.visit(sequence, Arrays.copyOfRange(block, start, start + length))) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Describes the damage to a block, or returns {@code null} if the block is intact.
	 */
	static @Nullable String damage(long first, byte[] block) {
		if (block.length < HEADER) {
			return "it is too short";
		}
		ByteBuffer buffer = ByteBuffer.wrap(block);
		if (buffer.getInt() != checksum(block)) {
			return "its checksum is wrong";
		}
		long records = 0;
		buffer.position(HEADER);
		while (buffer.remaining() >= Integer.BYTES) {
			int length = buffer.getInt();
			if (length < 0 || length > buffer.remaining()) {
				return "a record exceeds its end";
			}
			buffer.position(buffer.position() + length);
			records++;
		}
		boolean lost = records == 0 && next(block) > first;
		return (buffer.hasRemaining() || (!lost && first + records != next(block))) ? "records are missing in it"
				: null;
	}

	private static ByteBuffer start(int size, long next, long millis) {
		return ByteBuffer.allocate(size).putInt(0).putLong(millis).putLong(next);
	}

	private static byte[] finish(ByteBuffer buffer) {
		return buffer.putInt(0, checksum(buffer.array())).array();
	}

	private static int checksum(byte[] block) {
		CRC32C checksum = new CRC32C();
		checksum.update(block, CHECKSUM_END, block.length - CHECKSUM_END);
		return (int) checksum.getValue();
	}

}
