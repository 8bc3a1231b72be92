package io.statestore.dafka.consumer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.internal.PrivateFiles;

/**
 * Stores offsets in a file. Changed offsets are appended in batches with a checksum. The
 * file is rewritten when most of it is outdated. After a crash, the last batch may be
 * incomplete or end in zeros; it is then ignored. Not thread-safe.
 */
final class FileOffsetStore implements OffsetStore {

	/** Identifies an offset file by its first bytes. */
	private static final int MAGIC = 0x8F0FF5E7;

	private static final int BATCH_HEADER = 2 * Integer.BYTES;

	/** File size in bytes up to which outdated offsets are kept. */
	private static final long MIN_REWRITE = 1 << 20;

	private final Path file;

	private final Path next;

	private final Map<TopicPartition, Long> offsets = new HashMap<>();

	/** Size in bytes of the file's valid part; 0 if the file must be rewritten. */
	private long size;

	/** File size in bytes when the file was last rewritten or read. */
	private long rewrittenSize;

	FileOffsetStore(Path file) {
		this.file = file.toAbsolutePath();
		this.next = this.file.resolveSibling(file.getFileName() + ".next");
	}

	@Override
	public Map<TopicPartition, Long> load() {
		this.offsets.clear();
		this.size = 0;
		if (Files.exists(this.file)) {
			try {
				read(ByteBuffer.wrap(Files.readAllBytes(this.file)));
			}
			catch (IOException ex) {
				throw new DafkaException("Cannot read the offsets in " + this.file
						+ ". Restore it, or remove it to start without offsets", ex);
			}
		}
		return Map.copyOf(this.offsets);
	}

	private void read(ByteBuffer content) throws IOException {
		if (content.remaining() < Integer.BYTES || content.getInt() != MAGIC) {
			throw new IOException("it contains no offsets");
		}
		while (content.remaining() >= BATCH_HEADER) {
			int length = content.getInt(content.position());
			int checksum = content.getInt(content.position() + Integer.BYTES);
			int end = content.position() + BATCH_HEADER + Math.max(0, length);
			if (length > content.limit() - content.position() - BATCH_HEADER) {
				break;
			}
			ByteBuffer batch = content.slice(content.position() + BATCH_HEADER, Math.max(0, length));
			if (length < Integer.BYTES || checksum(batch) != checksum) {
				if (isZero(content, end)) {
					break;
				}
				throw new IOException("the batch at byte " + content.position() + " is damaged");
			}
			readOffsets(batch);
			content.position(end);
		}
		this.size = content.position();
		this.rewrittenSize = this.size;
	}

	/** Returns whether all bytes starting at a position are zero. */
	private static boolean isZero(ByteBuffer content, int from) {
		for (int i = from; i < content.limit(); i++) {
			if (content.get(i) != 0) {
				return false;
			}
		}
		return true;
	}

	/** Reads a count and as many offsets. */
	private void readOffsets(ByteBuffer content) throws IOException {
		DataInputStream in = new DataInputStream(
				new ByteArrayInputStream(content.array(), content.arrayOffset(), content.limit()));
		for (int left = in.readInt(); left > 0; left--) {
			this.offsets.put(new TopicPartition(in.readUTF(), in.readUTF()), in.readLong());
		}
	}

	@Override
	public void save(Map<TopicPartition, Long> next) {
		Map<TopicPartition, Long> changed = new HashMap<>(next);
		changed.entrySet().removeIf((entry) -> entry.getValue().equals(this.offsets.get(entry.getKey())));
		if (changed.isEmpty()) {
			return;
		}
		try {
			Map<TopicPartition, Long> all = new HashMap<>(this.offsets);
			all.putAll(changed);
			if (isRewriteDue()) {
				rewrite(all);
			}
			else {
				append(changed);
			}
			this.offsets.putAll(changed);
		}
		catch (IOException ex) {
			throw new DafkaException("Cannot write the offsets to " + this.file + ". Check that it is writable", ex);
		}
	}

	/**
	 * Returns whether to rewrite the file, because it is too large or was removed or
	 * replaced since the last write.
	 */
	private boolean isRewriteDue() throws IOException {
		return this.size == 0 || this.size > Math.max(MIN_REWRITE, 2 * this.rewrittenSize) || !Files.exists(this.file)
				|| Files.size(this.file) < this.size;
	}

	private void rewrite(Map<TopicPartition, Long> all) throws IOException {
		Path directory = this.file.getParent();
		if (directory != null) {
			PrivateFiles.createDirectories(directory);
		}
		ByteBuffer batch = batch(all);
		ByteBuffer content = ByteBuffer.allocate(Integer.BYTES + batch.remaining()).putInt(MAGIC).put(batch).flip();
		this.rewrittenSize = content.remaining();
		write(this.next, 0, content);
		Files.move(this.next, this.file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		this.size = this.rewrittenSize;
	}

	private void append(Map<TopicPartition, Long> changed) throws IOException {
		ByteBuffer batch = batch(changed);
		int length = batch.remaining();
		write(this.file, this.size, batch);
		this.size += length;
	}

	private static void write(Path file, long position, ByteBuffer content) throws IOException {
		try (FileChannel channel = PrivateFiles.open(file)) {
			channel.truncate(position);
			channel.position(position);
			while (content.hasRemaining()) {
				channel.write(content);
			}
			channel.force(true);
		}
	}

	private static ByteBuffer batch(Map<TopicPartition, Long> offsets) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(bytes);
		out.writeInt(offsets.size());
		for (Map.Entry<TopicPartition, Long> entry : offsets.entrySet()) {
			out.writeUTF(entry.getKey().topic());
			out.writeUTF(entry.getKey().partition());
			out.writeLong(entry.getValue());
		}
		ByteBuffer content = ByteBuffer.wrap(bytes.toByteArray());
		return ByteBuffer.allocate(BATCH_HEADER + content.remaining())
			.putInt(content.remaining())
			.putInt(checksum(content))
			.put(content)
			.flip();
	}

	private static int checksum(ByteBuffer content) {
		CRC32 checksum = new CRC32();
		checksum.update(content.duplicate());
		return (int) checksum.getValue();
	}

}
