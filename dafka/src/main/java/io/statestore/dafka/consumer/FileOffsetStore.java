package io.statestore.dafka.consumer;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.TopicPartition;

/** A count, then topic, partition and offset of each. */
final class FileOffsetStore implements OffsetStore {

	private final Path file;

	private final Path next;

	private final Map<TopicPartition, Long> offsets = new HashMap<>();

	FileOffsetStore(Path file) {
		this.file = file.toAbsolutePath();
		this.next = this.file.resolveSibling(file.getFileName() + ".next");
	}

	@Override
	public Map<TopicPartition, Long> load() {
		this.offsets.clear();
		if (Files.exists(this.file)) {
			try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(this.file)))) {
				for (int left = in.readInt(); left > 0; left--) {
					this.offsets.put(new TopicPartition(in.readUTF(), in.readUTF()), in.readLong());
				}
			}
			catch (IOException ex) {
				throw new DafkaException(
						"Cannot read the offsets in " + this.file + ": restore it, or remove it to begin again", ex);
			}
		}
		return Map.copyOf(this.offsets);
	}

	@Override
	public void save(Map<TopicPartition, Long> next) {
		this.offsets.putAll(next);
		try {
			Path directory = this.file.getParent();
			if (directory != null) {
				Files.createDirectories(directory);
			}
			write();
			Files.move(this.next, this.file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException ex) {
			throw new DafkaException("Cannot write the offsets to " + this.file + ": check that it is writable", ex);
		}
	}

	private void write() throws IOException {
		try (FileChannel channel = FileChannel.open(this.next, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
				StandardOpenOption.TRUNCATE_EXISTING);
				DataOutputStream out = new DataOutputStream(
						new BufferedOutputStream(Channels.newOutputStream(channel)))) {
			out.writeInt(this.offsets.size());
			for (Map.Entry<TopicPartition, Long> entry : this.offsets.entrySet()) {
				out.writeUTF(entry.getKey().topic());
				out.writeUTF(entry.getKey().partition());
				out.writeLong(entry.getValue());
			}
			out.flush();
			channel.force(true);
		}
	}

}
