package io.statestore.broker.log;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** {@link Disk} backed by the operating system's file system. */
final class FileDisk implements Disk {

	/**
	 * Windows cannot force a directory, but uses a journal to keep its changes in order.
	 */
	private static final boolean FORCES_DIRECTORIES = File.separatorChar == '/';

	@Override
	public DiskFile create(Path file) throws IOException {
		return new ChannelFile(FileChannel.open(file,
				Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
				permissions(file, "rw-------")));
	}

	@Override
	public DiskFile open(Path file) throws IOException {
		return new ChannelFile(FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
	}

	@Override
	public DiskFile read(Path file) throws IOException {
		return new ChannelFile(FileChannel.open(file, StandardOpenOption.READ));
	}

	@Override
	public void rename(Path source, Path target) throws IOException {
		Files.move(source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
	}

	@Override
	public void link(Path source, Path target) throws IOException {
		try {
			Files.createLink(target, source);
		}
		catch (UnsupportedOperationException | FileSystemException ex) {
			// The file system does not support hard links, so the file is copied.
			Path temporary = StoreLayout.temporary(target);
			Files.copy(source, temporary, StandardCopyOption.REPLACE_EXISTING);
			try (DiskFile copy = open(temporary)) {
				copy.force();
			}
			rename(temporary, target);
		}
	}

	@Override
	public void delete(Path file) throws IOException {
		Files.deleteIfExists(file);
	}

	@Override
	public void createDirectory(Path directory) throws IOException {
		Files.createDirectory(directory, permissions(directory, "rwx------"));
	}

	/**
	 * Returns permissions for a new file, none if the file system does not support them.
	 */
	static FileAttribute<?>[] permissions(Path file, String permissions) {
		return file.getFileSystem().supportedFileAttributeViews().contains("posix")
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)) }
				: new FileAttribute<?>[0];
	}

	@Override
	public void forceDirectory(Path directory) throws IOException {
		try (OpenDirectory open = openDirectory(directory)) {
			open.force();
		}
	}

	@Override
	public OpenDirectory openDirectory(Path directory) throws IOException {
		return new ChannelDirectory(FORCES_DIRECTORIES ? FileChannel.open(directory, StandardOpenOption.READ) : null);
	}

	@Override
	public List<Path> list(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.sorted().toList();
		}
	}

	@Override
	public boolean exists(Path file) {
		return Files.exists(file);
	}

	@Override
	public boolean isDirectory(Path file) {
		return Files.isDirectory(file);
	}

	@Override
	public Closeable lock(StoreLayout layout) throws IOException {
		return StoreLock.acquire(layout);
	}

	/**
	 * A directory held open.
	 *
	 * @param channel the channel, {@code null} if directories do not have to be forced
	 */
	private record ChannelDirectory(@Nullable FileChannel channel) implements OpenDirectory {

		@Override
		public void force() throws IOException {
			if (this.channel != null) {
				this.channel.force(true);
			}
		}

		@Override
		public void close() throws IOException {
			if (this.channel != null) {
				this.channel.close();
			}
		}

	}

	private record ChannelFile(FileChannel channel) implements DiskFile {

		@Override
		public void write(ByteBuffer bytes, long position) throws IOException {
			long next = position;
			while (bytes.hasRemaining()) {
				next += this.channel.write(bytes, next);
			}
		}

		@Override
		public int read(ByteBuffer target, long position) throws IOException {
			int total = 0;
			while (target.hasRemaining()) {
				int count = this.channel.read(target, position + total);
				if (count < 0) {
					break;
				}
				total += count;
			}
			return total;
		}

		@Override
		public void force() throws IOException {
			this.channel.force(false);
		}

		@Override
		public long size() throws IOException {
			return this.channel.size();
		}

		@Override
		public void close() throws IOException {
			this.channel.close();
		}

	}

}
