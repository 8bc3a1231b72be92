package io.statestore.broker.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An open lock file. POSIX releases all locks that a process has on a file when the
 * process closes any of its channels. A channel that found the file locked by this
 * process therefore stays open, and serves the next attempt.
 *
 * @param channel the channel
 * @param refusedKey name under which the channel is kept, the same for all paths of the
 * file. Empty on systems without such an identity, such as Windows, where locks belong to
 * channels
 */
record LockFile(FileChannel channel, String refusedKey) {

	private static final String REFUSED_PREFIX = "statestore.broker.refused.";

	/**
	 * Channels that must not be closed, not even by the garbage collector. Also kept in
	 * the system properties, where class loaders that end, and copies of this class, find
	 * them.
	 */
	private static final Map<String, FileChannel> REFUSED = new ConcurrentHashMap<>();

	/** Opens a file, creating it if necessary. */
	static LockFile open(Path file) throws IOException {
		String key = refusedKey(file);
		Object shared = System.getProperties().remove(key);
		FileChannel own = REFUSED.remove(key);
		FileChannel refused = (shared instanceof FileChannel channel) ? channel : own;
		if (refused != null && refused.isOpen()) {
			return new LockFile(refused, key);
		}
		return new LockFile(FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE), key);
	}

	private static String refusedKey(Path file) throws IOException {
		if (Files.notExists(file)) {
			try {
				Files.createFile(file);
			}
			catch (FileAlreadyExistsException ex) {
				// Another process has created it.
			}
		}
		Object identity = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
		return (identity != null) ? REFUSED_PREFIX + identity : "";
	}

	/**
	 * Keeps the channel open, because this process has locked the file through another
	 * one.
	 */
	void keepOpen() throws IOException {
		if (this.refusedKey.isEmpty()) {
			this.channel.close();
			return;
		}
		REFUSED.put(this.refusedKey, this.channel);
		System.getProperties().put(this.refusedKey, this.channel);
	}

}
