package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/**
 * Content of the file {@code store}, which makes a directory that of a store.
 *
 * @param id random identity of the store
 * @param created time the store was created
 */
record StoreIdentity(UUID id, Instant created) {

	private static final long MAGIC = 0x53_54_41_54_45_53_54_31L;

	/** Version of all file formats in the directory. */
	static final int FORMAT = 1;

	private static final int BYTES = 40;

	static StoreIdentity create(Instant created) {
		return new StoreIdentity(UUID.randomUUID(), Instant.ofEpochMilli(created.toEpochMilli()));
	}

	/** Writes the file and forces it to the disk. */
	void write(Disk disk, StoreLayout layout) throws IOException {
		SmallFile.write(disk, layout.store(), encode());
	}

	ByteBuffer encode() {
		return Checksums.seal(begin(BYTES, MAGIC, this.id).putLong(this.created.toEpochMilli()));
	}

	/** Returns a buffer with what most files begin with. */
	static ByteBuffer begin(int bytes, long magic, UUID id) {
		return ByteBuffer.allocate(bytes)
			.putLong(magic)
			.putInt(FORMAT)
			.putLong(id.getMostSignificantBits())
			.putLong(id.getLeastSignificantBits());
	}

	static StoreIdentity read(Disk disk, StoreLayout layout) throws IOException {
		Path file = layout.store();
		ByteBuffer bytes = SmallFile.read(disk, file);
		requireIntact(file, bytes, MAGIC, BYTES);
		return new StoreIdentity(new UUID(bytes.getLong(), bytes.getLong()), Instant.ofEpochMilli(bytes.getLong()));
	}

	/**
	 * Verifies the checksum of bytes, and reads their {@linkplain #requireFormat start}.
	 */
	static void requireIntact(Path file, ByteBuffer bytes, long magic, int size) {
		requireFormat(file, bytes, magic);
		if (bytes.limit() != size || !Checksums.isSealed(bytes)) {
			throw new DamagedLogException(file, 0, "the checksum of its first " + size + " bytes is wrong");
		}
	}

	/** Reads the magic number and the format version that all files begin with. */
	static void requireFormat(Path file, ByteBuffer bytes, long magic) {
		if (bytes.remaining() < 12 || bytes.getLong() != magic) {
			throw new DamagedLogException(file, 0, "it does not begin as a file of a store");
		}
		int format = bytes.getInt();
		if (format > FORMAT) {
			throw new StoreDirectoryException("File " + file + " has format " + format
					+ ", but this version reads up to " + FORMAT + ". A newer version wrote it: use that version");
		}
		if (format < 1) {
			throw new DamagedLogException(file, 8, "its format is " + format);
		}
	}

	/** Refuses a file that carries the identity of another store. */
	void requireSame(Path file, UUID other) {
		if (!this.id.equals(other)) {
			throw new StoreDirectoryException(
					"File " + file + " belongs to store " + other + ", but its directory to store " + this.id
							+ ". Do not mix the files of stores: restore a backup into an empty directory");
		}
	}

}
