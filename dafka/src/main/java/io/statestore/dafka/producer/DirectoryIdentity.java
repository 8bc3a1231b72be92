package io.statestore.dafka.producer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.internal.PrivateFiles;
import io.statestore.dafka.node.internal.Node;

/**
 * Identity stored in a directory: a file with the address, and a memory-mapped 16-byte
 * file for each topic. Counting writes only to memory that the operating system keeps if
 * the process is killed.
 */
final class DirectoryIdentity implements Identity {

	private static final int COUNTER_SIZE = 2 * Long.BYTES;

	private static final int MAX_FILE_NAME = 100;

	private final Path directory;

	private final FileChannel addressFile;

	private final String address;

	private final Queue<MappedByteBuffer> counters = new ConcurrentLinkedQueue<>();

	DirectoryIdentity(Path directory) {
		this.directory = directory;
		try {
			PrivateFiles.createDirectories(directory);
			this.addressFile = PrivateFiles.open(directory.resolve("address"));
		}
		catch (IOException ex) {
			throw unusable(ex);
		}
		try {
			if (this.addressFile.tryLock() == null) {
				throw inUse();
			}
			this.address = readOrCreate();
			Options.address(this.address);
		}
		catch (IOException | RuntimeException ex) {
			closeQuietly();
			throw (ex instanceof OverlappingFileLockException) ? inUse()
					: (ex instanceof IOException failure) ? unusable(failure) : (RuntimeException) ex;
		}
	}

	private String readOrCreate() throws IOException {
		int size = (int) this.addressFile.size();
		if (size == 0) {
			String created = Node.newAddress();
			this.addressFile.write(ByteBuffer.wrap(created.getBytes(StandardCharsets.ISO_8859_1)), 0);
			this.addressFile.force(true);
			return created;
		}
		ByteBuffer buffer = ByteBuffer.allocate(Math.min(size, 1024));
		this.addressFile.read(buffer, 0);
		return new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1).strip();
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public Counter counter(String topic) {
		Path file = this.directory.resolve(fileName(topic) + ".counter");
		try (FileChannel channel = PrivateFiles.open(file)) {
			MappedByteBuffer buffer = channel.map(FileChannel.MapMode.READ_WRITE, 0, COUNTER_SIZE);
			this.counters.add(buffer);
			return new Counter(buffer);
		}
		catch (IOException ex) {
			throw unusable(ex);
		}
	}

	/** Returns the topic name in hexadecimal, or a digest if the name is long. */
	private static String fileName(String topic) {
		byte[] bytes = topic.getBytes(StandardCharsets.UTF_8);
		if (bytes.length > MAX_FILE_NAME) {
			try {
				bytes = MessageDigest.getInstance("SHA-256").digest(bytes);
			}
			catch (NoSuchAlgorithmException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return HexFormat.of().formatHex(bytes);
	}

	@Override
	public void close() {
		this.counters.forEach(MappedByteBuffer::force);
		closeQuietly();
	}

	private void closeQuietly() {
		try {
			this.addressFile.close();
		}
		catch (IOException ex) {
			// Nothing was written since the latest sync to disk.
		}
	}

	private DafkaException inUse() {
		return new DafkaException("The identity in " + this.directory
				+ " is used by another producer: close that producer, or choose another directory");
	}

	private DafkaException unusable(IOException cause) {
		return new DafkaException("Cannot use the identity in " + this.directory + " (" + cause
				+ "): choose a directory that is writable", cause);
	}

}
