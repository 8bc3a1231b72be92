package io.statestore.history;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.internal.PrivateFiles;
import io.statestore.dafka.producer.Identity;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * File with the records that are being sent, their offsets, and how far the history was
 * published. The file is replaced before the first of the records is sent. Therefore,
 * records sent before a crash are sent again with the same offsets and content. Not
 * thread-safe.
 */
final class Outbox implements Identity {

	private static final byte FORMAT = 1;

	private final Path directory;

	private final Path file;

	private final String topic;

	private final FileChannel lock;

	private String address = Identity.random().address();

	/** Offset of the first record that has not been delivered. */
	private long first;

	private List<Bytes> records = List.of();

	private @Nullable Version position;

	/**
	 * Opens the file, or creates it.
	 * @throws DafkaException if the directory is not usable, or belongs to another topic
	 */
	Outbox(Path directory, String topic) {
		this.directory = directory.toAbsolutePath();
		this.file = this.directory.resolve("outbox");
		this.topic = topic;
		try {
			PrivateFiles.createDirectories(this.directory);
			this.lock = PrivateFiles.open(this.directory.resolve("lock"));
		}
		catch (IOException ex) {
			throw unusable(ex);
		}
		try {
			lock();
			if (Files.exists(this.file)) {
				read();
			}
			else {
				write(List.of(), null);
			}
		}
		catch (IOException ex) {
			close();
			throw unusable(ex);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private void lock() throws IOException {
		try {
			if (this.lock.tryLock() != null) {
				return;
			}
		}
		catch (OverlappingFileLockException ex) {
			// Another outbox in this process has the lock.
		}
		throw new DafkaException("'directory' is '" + this.directory
				+ "', which another change topic uses. Close it, or choose another directory");
	}

	private void read() throws IOException {
		try (DataInputStream in = new DataInputStream(Files.newInputStream(this.file))) {
			byte format = in.readByte();
			if (format != FORMAT) {
				throw new IOException("its format is " + format);
			}
			String topic = in.readUTF();
			if (!topic.equals(this.topic)) {
				throw new DafkaException("'topic' is '" + this.topic + "', but '" + this.directory + "' belongs to '"
						+ topic + "'. Choose another directory");
			}
			this.address = in.readUTF();
			this.first = in.readLong();
			String version = in.readUTF();
			this.position = version.isEmpty() ? null : Version.parse(version);
			List<Bytes> records = new ArrayList<>();
			for (int count = in.readInt(); count > 0; count--) {
				records.add(Bytes.wrap(in.readNBytes(in.readInt())));
			}
			this.records = records;
		}
	}

	/**
	 * Replaces the records, which must have been delivered.
	 * @param next the records to send next
	 * @param position the version after which the history continues once they are
	 * delivered
	 */
	void write(List<Bytes> next, @Nullable Version position) throws IOException {
		Path replacement = this.directory.resolve("outbox.next");
		Files.deleteIfExists(replacement);
		try (FileChannel channel = PrivateFiles.open(replacement)) {
			ByteBuffer content = ByteBuffer.wrap(encode(next, position));
			while (content.hasRemaining()) {
				channel.write(content);
			}
			channel.force(true);
		}
		Files.move(replacement, this.file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		this.first = next();
		this.records = List.copyOf(next);
		this.position = position;
		forceDirectory();
	}

	private byte[] encode(List<Bytes> next, @Nullable Version position) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(bytes);
		out.writeByte(FORMAT);
		out.writeUTF(this.topic);
		out.writeUTF(this.address);
		out.writeLong(next());
		out.writeUTF((position != null) ? position.toString() : "");
		out.writeInt(next.size());
		for (Bytes record : next) {
			out.writeInt(record.size());
			out.write(record.unwrap());
		}
		return bytes.toByteArray();
	}

	private void forceDirectory() {
		try (FileChannel channel = FileChannel.open(this.directory, StandardOpenOption.READ)) {
			channel.force(true);
		}
		catch (IOException ex) {
			// Windows cannot open directories, and does not need to sync them.
		}
	}

	/** Returns the records that have not been delivered. */
	List<Bytes> records() {
		return this.records;
	}

	/** Called when a store has the records. */
	void delivered() {
		this.first = next();
		this.records = List.of();
	}

	/**
	 * Returns the version after which the history continues, {@code null} to read all of
	 * it.
	 */
	@Nullable Version position() {
		return this.position;
	}

	/** Returns the offset after the last record. */
	long next() {
		return this.first + this.records.size();
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public Counter counter(String topic) {
		Counter counter = Counter.inMemory();
		counter.setNext(this.first);
		// A store may already have the records if they were sent before a restart.
		counter.setAcknowledged(next());
		return counter;
	}

	@Override
	public void close() {
		try {
			this.lock.close();
		}
		catch (IOException ex) {
			// The lock is released when the process ends.
		}
	}

	private DafkaException unusable(IOException cause) {
		return new DafkaException("'directory' is '" + this.directory + "', which cannot be used (" + cause
				+ "). Choose another directory", cause);
	}

}
