package io.statestore.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * Exclusive use of the directory of a node, until the end of the process at the latest.
 */
final class NodeLock implements AutoCloseable {

	static final String FILE = "lock";

	private final FileChannel channel;

	private NodeLock(FileChannel channel) {
		this.channel = channel;
	}

	/**
	 * Locks a directory.
	 * @throws NodeDirectoryException if another process uses it
	 */
	static NodeLock acquire(Path directory) throws IOException {
		FileChannel channel = FileChannel.open(directory.resolve(FILE), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
		try {
			if (tryLock(channel) == null) {
				throw new NodeDirectoryException(
						"Directory " + directory + " is in use by another process. Stop it, or use another directory");
			}
			return new NodeLock(channel);
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
		try {
			return channel.tryLock();
		}
		catch (OverlappingFileLockException ex) {
			return null;
		}
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
