package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Checksums for a store's files: CRC-32C (RFC 3720, section 12.1). */
final class Checksums {

	private Checksums() {
	}

	/** Returns the checksum of the remaining bytes, without changing the position. */
	static int of(ByteBuffer bytes) {
		CRC32C checksum = new CRC32C();
		checksum.update(bytes.duplicate());
		return (int) checksum.getValue();
	}

	/** Appends the checksum of all bytes before the position and flips the buffer. */
	static ByteBuffer seal(ByteBuffer bytes) {
		int checksum = of(bytes.duplicate().flip());
		return bytes.putInt(checksum).flip();
	}

	/** Returns whether the bytes up to the limit end with their checksum. */
	static boolean isSealed(ByteBuffer bytes) {
		int end = bytes.limit() - Integer.BYTES;
		return end >= 0 && bytes.getInt(end) == of(bytes.duplicate().position(0).limit(end));
	}

}
