package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Content of the {@code store} file. A directory with this file contains a store.
 *
 * @param id random identity of the store
 * @param restored restore that created the store, {@code null} if none did or the first
 * start has handled it
 */
record StoreIdentity(UUID id, @Nullable Restored restored) {

	private static final long MAGIC = 0x53_54_41_54_45_53_54_31L;

	/** Version of all file formats in the directory. */
	static final int FORMAT = 1;

	/** Size of the file if no restore is recorded, in bytes. */
	private static final int BYTES = 40;

	/** Writes the file and forces it to disk. */
	void write(Disk disk, StoreLayout layout) throws IOException {
		StoreFiles.write(disk, layout.store(), encode());
	}

	private ByteBuffer encode() {
		Restored restored = this.restored;
		if (restored == null) {
			return Checksums.seal(begin(BYTES, MAGIC, this.id).putLong(Instant.now().toEpochMilli()));
		}
		byte[] version = Objects.toString(restored.after(), "").getBytes(StandardCharsets.UTF_8);
		ByteBuffer bytes = begin(BYTES + 1 + version.length, MAGIC, this.id).putLong(restored.time().toEpochMilli());
		return Checksums.seal(bytes.put((byte) 1).put(version));
	}

	/** Returns a buffer that begins with a magic number, the format, and an identity. */
	static ByteBuffer begin(int bytes, long magic, UUID id) {
		return ByteBuffer.allocate(bytes)
			.putLong(magic)
			.putInt(FORMAT)
			.putLong(id.getMostSignificantBits())
			.putLong(id.getLeastSignificantBits());
	}

	static StoreIdentity read(Disk disk, StoreLayout layout) throws IOException {
		Path file = layout.store();
		ByteBuffer bytes = StoreFiles.read(disk, file);
		requireIntact(file, bytes, MAGIC, Math.max(BYTES, bytes.limit()));
		UUID id = new UUID(bytes.getLong(), bytes.getLong());
		Instant time = Instant.ofEpochMilli(bytes.getLong());
		if (bytes.limit() == BYTES) {
			return new StoreIdentity(id, null);
		}
		String version = StandardCharsets.UTF_8
			.decode(bytes.position(BYTES - Integer.BYTES + 1).limit(bytes.limit() - Integer.BYTES))
			.toString();
		try {
			return new StoreIdentity(id, new Restored(time, version.isEmpty() ? null : Version.parse(version)));
		}
		catch (ProtocolException ex) {
			throw new DamagedLogException(file, BYTES, "'" + version + "' is not a version");
		}
	}

	/**
	 * Verifies the checksum of bytes and reads their {@linkplain #requireFormat start}.
	 */
	static void requireIntact(Path file, ByteBuffer bytes, long magic, int size) {
		requireFormat(file, bytes, magic);
		if (bytes.limit() != size || !Checksums.isSealed(bytes)) {
			throw new DamagedLogException(file, 0, "the checksum of its first " + size + " bytes is wrong");
		}
	}

	/** Verifies the magic number and the format version with which all files begin. */
	static void requireFormat(Path file, ByteBuffer bytes, long magic) {
		if (bytes.remaining() < 12 || bytes.getLong() != magic) {
			throw new DamagedLogException(file, 0, "it does not begin like a store file");
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

	/**
	 * Reads and verifies the first bytes of a file, which end with their checksum.
	 * @return the bytes, positioned after the identity
	 */
	ByteBuffer read(Path path, DiskFile file, long magic, int size) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocate(size);
		file.read(bytes, 0);
		requireOwn(path, bytes.flip(), magic, size);
		return bytes;
	}

	/**
	 * Verifies the checksum of bytes, and the magic number, format, and identity at their
	 * beginning.
	 */
	private void requireOwn(Path file, ByteBuffer bytes, long magic, int size) {
		requireIntact(file, bytes, magic, size);
		UUID other = new UUID(bytes.getLong(), bytes.getLong());
		if (!this.id.equals(other)) {
			throw new StoreDirectoryException(
					"File " + file + " belongs to store " + other + ", but its directory belongs to store " + this.id
							+ ". Do not mix the files of stores: restore a backup into an empty directory");
		}
	}

}
