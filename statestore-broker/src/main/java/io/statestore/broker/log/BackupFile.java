package io.statestore.broker.log;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;

/**
 * A store backup: a header, a snapshot of the state, and the SHA-256 digest of both.
 *
 * @param path the file; its digest has been verified
 * @param time when the state was captured, by the wall clock
 */
public record BackupFile(Path path, Instant time) {

	private static final long MAGIC = 0x53_54_41_54_45_42_41_4bL;

	private static final int HEADER_BYTES = 20;

	private static final int DIGEST_BYTES = 32;

	/**
	 * Returns the header of a backup. The state and the digest follow.
	 * @param time when the state is captured, by the wall clock
	 * @return the header
	 */
	public static ByteBuffer header(Instant time) {
		ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES);
		return bytes.putLong(MAGIC).putInt(StoreIdentity.FORMAT).putLong(time.toEpochMilli()).flip();
	}

	/**
	 * Reads an entire backup and verifies that it is complete.
	 * @param path the file
	 * @return the verified backup
	 * @throws IOException if the file cannot be read
	 * @throws StoreDirectoryException if it is not an intact backup
	 */
	public static BackupFile verify(Path path) throws IOException {
		if (!Files.isReadable(path)) {
			throw new StoreDirectoryException("File " + path + " cannot be read. Check the path");
		}
		try (InputStream file = new BufferedInputStream(Files.newInputStream(path))) {
			ByteBuffer header = ByteBuffer.wrap(file.readNBytes(HEADER_BYTES));
			if (header.limit() < HEADER_BYTES || header.getLong(0) != MAGIC) {
				throw new StoreDirectoryException("File " + path + " is not a backup of a store. Check the path");
			}
			StoreIdentity.requireFormat(path, header.duplicate(), MAGIC);
			MessageDigest digest = digest();
			digest.update(header.array());
			transfer(file, stateBytes(path), new DigestOutputStream(OutputStream.nullOutputStream(), digest));
			if (!MessageDigest.isEqual(digest.digest(), file.readNBytes(DIGEST_BYTES))) {
				throw new StoreDirectoryException("File " + path
						+ " is not an intact backup: its digest is wrong, or its end is missing. Use another backup");
			}
			return new BackupFile(path, Instant.ofEpochMilli(header.getLong(HEADER_BYTES - Long.BYTES)));
		}
	}

	private static long stateBytes(Path path) throws IOException {
		return Files.size(path) - HEADER_BYTES - DIGEST_BYTES;
	}

	private static void transfer(InputStream input, long bytes, OutputStream output) throws IOException {
		byte[] buffer = new byte[SnapshotHeader.CHUNK_BYTES];
		long rest = bytes;
		while (rest > 0) {
			int count = input.readNBytes(buffer, 0, (int) Math.min(buffer.length, rest));
			if (count == 0) {
				throw new EOFException("The file has become shorter");
			}
			output.write(buffer, 0, count);
			rest -= count;
		}
	}

	/**
	 * Returns a digest for a backup's content.
	 * @return a new SHA-256 digest
	 */
	public static MessageDigest digest() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Opens the state, which has the same format as in a snapshot.
	 * @return the state, followed by the digest. The caller must close the stream
	 * @throws IOException if the file cannot be read
	 */
	public InputStream open() throws IOException {
		InputStream input = new BufferedInputStream(Files.newInputStream(this.path));
		input.skipNBytes(HEADER_BYTES);
		return input;
	}

	/** Writes the state without the digest. */
	void copyTo(OutputStream output) throws IOException {
		try (InputStream input = open()) {
			transfer(input, stateBytes(this.path), output);
		}
	}

}
