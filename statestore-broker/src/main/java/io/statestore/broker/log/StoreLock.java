package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exclusive use of a directory. Between processes, a file lock ensures this; the
 * operating system releases it when the process ends. Within a process, a system property
 * does, even for copies of this class in other class loaders, for example in another web
 * application.
 */
final class StoreLock implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(StoreLock.class);

	static final String KEY_PREFIX = "statestore.broker.lock.";

	/**
	 * Channels of files that this process has already locked through another channel.
	 * These channels stay open, because POSIX releases the lock when the process closes
	 * any channel to the file.
	 */
	private static final Queue<FileChannel> KEPT = new ConcurrentLinkedQueue<>();

	/** Name of the system property that is set while the directory is in use. */
	private final String key;

	private final FileChannel channel;

	private StoreLock(String key, FileChannel channel) {
		this.key = key;
		this.channel = channel;
	}

	static StoreLock acquire(StoreLayout layout) throws IOException {
		String key = KEY_PREFIX + layout.directory().toRealPath();
		// Checked first, because opening and closing the lock file would release a lock
		// that is held.
		if (System.getProperties().putIfAbsent(key, "true") != null) {
			throw inUse(layout, "this process");
		}
		try {
			return new StoreLock(key, lock(layout));
		}
		catch (IOException | RuntimeException ex) {
			System.getProperties().remove(key);
			throw ex;
		}
	}

	private static FileChannel lock(StoreLayout layout) throws IOException {
		FileChannel channel = FileChannel.open(layout.lock(), StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		try {
			if (channel.tryLock() == null) {
				throw inUse(layout, otherProcess(layout));
			}
		}
		catch (OverlappingFileLockException ex) {
			KEPT.add(channel);
			throw inUse(layout, "this process");
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
		writeProcess(channel);
		return channel;
	}

	/** Writes the process id, for error messages in other processes. */
	private static void writeProcess(FileChannel channel) {
		try {
			channel.truncate(0);
			String process = ProcessHandle.current().pid() + "\n";
			channel.write(ByteBuffer.wrap(process.getBytes(StandardCharsets.US_ASCII)));
		}
		catch (IOException ex) {
			logger.debug("Cannot write the process identifier into the lock file", ex);
		}
	}

	private static String otherProcess(StoreLayout layout) {
		try {
			String process = Files.readString(layout.lock()).strip();
			return process.isEmpty() ? "another process" : "process " + process;
		}
		catch (IOException ex) {
			// Windows does not let other processes read the locked file.
			return "another process";
		}
	}

	private static StoreDirectoryException inUse(StoreLayout layout, String user) {
		return new StoreDirectoryException("Directory " + layout.directory() + " is in use by " + user
				+ ". Stop that store first, or use another directory");
	}

	@Override
	public void close() throws IOException {
		try {
			this.channel.close();
		}
		finally {
			System.getProperties().remove(this.key);
		}
	}

}
