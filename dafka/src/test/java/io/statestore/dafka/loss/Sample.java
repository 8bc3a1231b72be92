package io.statestore.dafka.loss;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

/**
 * Content of a record: its origin, pseudo-random bytes that depend on the origin, and a
 * checksum.
 *
 * @param producer number of the producer
 * @param life number of the producer's process
 * @param number counter of the producer; a new process starts again after the last
 * acknowledged record
 */
record Sample(int producer, int life, long number) {

	private static final int HEADER = 2 * Integer.BYTES + Long.BYTES;

	private static final int LARGE = 4_096;

	private static final int SMALL = 256;

	byte[] encode() {
		Random random = new Random(31L * (31L * this.producer + this.life) + this.number);
		int size = switch (random.nextInt(10)) {
			case 0 -> 0;
			case 1 -> random.nextInt(LARGE);
			default -> random.nextInt(SMALL);
		};
		byte[] filling = new byte[size];
		random.nextBytes(filling);
		ByteBuffer content = ByteBuffer.allocate(HEADER + size + Integer.BYTES);
		content.putInt(this.producer).putInt(this.life).putLong(this.number).put(filling);
		return content.putInt(checksum(content.array(), HEADER + size)).array();
	}

	/** Decodes record content; returns {@code null} if it was modified. */
	static @Nullable Sample decode(byte[] content) {
		int size = content.length - Integer.BYTES;
		if (size < HEADER || ByteBuffer.wrap(content).getInt(size) != checksum(content, size)) {
			return null;
		}
		ByteBuffer buffer = ByteBuffer.wrap(content);
		Sample sample = new Sample(buffer.getInt(), buffer.getInt(), buffer.getLong());
		return (sample.encode().length == content.length) ? sample : null;
	}

	private static int checksum(byte[] content, int size) {
		CRC32C checksum = new CRC32C();
		checksum.update(content, 0, size);
		return (int) checksum.getValue();
	}

}
