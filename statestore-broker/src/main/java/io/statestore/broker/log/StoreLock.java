package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Exclusive use of a directory. The operating system releases the lock when the process
 * ends. It does not separate the users within one process, which a set does.
 */
final class StoreLock implements Closeable {

	private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

	private final Path key;

	private final FileChannel channel;

	private StoreLock(Path key, FileChannel channel) {
		this.key = key;
		this.channel = channel;
	}

	static StoreLock acquire(StoreLayout layout) throws IOException {
		Path key = layout.directory().toRealPath();
		// Opening and closing the file of a held lock would release the lock.
		if (!HELD.add(key)) {
			throw inUse(layout, "this process");
		}
		try {
			return new StoreLock(key, lock(layout));
		}
		catch (IOException | RuntimeException ex) {
			HELD.remove(key);
			throw ex;
		}
	}

	private static FileChannel lock(StoreLayout layout) throws IOException {
		FileChannel channel = FileChannel.open(layout.lock(), StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		try {
			if (!tryLock(channel)) {
				throw inUse(layout, otherProcess(layout));
			}
			channel.truncate(0);
			String process = ProcessHandle.current().pid() + "\n";
			channel.write(ByteBuffer.wrap(process.getBytes(StandardCharsets.US_ASCII)));
			return channel;
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	private static String otherProcess(StoreLayout layout) {
		try {
			return "process " + Files.readString(layout.lock()).strip();
		}
		catch (IOException ex) {
			// Windows does not let other processes read the file.
			return "another process";
		}
	}

	private static boolean tryLock(FileChannel channel) throws IOException {
		try {
			return channel.tryLock() != null;
		}
		catch (OverlappingFileLockException ex) {
			// Held by a copy of this class in another class loader.
			return false;
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
			HELD.remove(this.key);
		}
	}

}
