package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Exclusive right to change a file, for one thread of one process. A second file beside
 * it, with the suffix {@code .lock}, exists as long as somebody has the right or waits
 * for it.
 */
final class ChangeLock implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final long INTERVAL_MILLIS = 20;

	private final Path file;

	private final FileChannel channel;

	private ChangeLock(Path file, FileChannel channel) {
		this.file = file;
		this.channel = channel;
	}

	/**
	 * Waits up to ten seconds for the right to change a file.
	 * @param changed the file, which need not exist
	 * @return the right, to be closed after the change
	 * @throws IOException if somebody else keeps it, or the lock file cannot be created
	 */
	static ChangeLock of(Path changed) throws IOException {
		Path file = changed.resolveSibling(changed.getFileName() + ".lock");
		Path directory = file.getParent();
		if (directory != null && !Files.isDirectory(directory)) {
			throw new NoSuchFileException(directory.toString());
		}
		long start = System.nanoTime();
		while (true) {
			ChangeLock lock = tryLock(file);
			if (lock != null) {
				return lock;
			}
			if (System.nanoTime() - start > TIMEOUT.toNanos()) {
				throw new IOException("another program has been changing it for " + TIMEOUT.toSeconds()
						+ " seconds. Try again later");
			}
			pause();
		}
	}

	private static @Nullable ChangeLock tryLock(Path file) throws IOException {
		// Another user may have created a link with this name.
		FileChannel channel = FileChannel.open(file,
				Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
				UserFileEditor.ownerOnly());
		boolean locked = false;
		try {
			// Not the content, which some systems would make unreadable.
			locked = channel.tryLock(Long.MAX_VALUE - 1, 1, false) != null && isCurrent(file, channel);
		}
		catch (OverlappingFileLockException ex) {
			// Another thread of this process has the right.
		}
		finally {
			if (!locked) {
				channel.close();
			}
		}
		return locked ? new ChangeLock(file, channel) : null;
	}

	/**
	 * Returns whether a locked file is the one with its name. The previous owner may have
	 * deleted it, and another one may have created the next one.
	 */
	private static boolean isCurrent(Path file, FileChannel channel) throws IOException {
		String id = UUID.randomUUID().toString();
		channel.write(StandardCharsets.US_ASCII.encode(id));
		channel.truncate(id.length());
		try {
			return Files.readString(file, StandardCharsets.ISO_8859_1).equals(id);
		}
		catch (NoSuchFileException ex) {
			return false;
		}
	}

	private static void pause() throws IOException {
		try {
			Thread.sleep(INTERVAL_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new InterruptedIOException("interrupted while another program changes it");
		}
	}

	/** Ends the right. */
	@Override
	public void close() throws IOException {
		try {
			Files.deleteIfExists(this.file);
		}
		finally {
			this.channel.close();
		}
	}

}
