package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the files of a directory to the disk in intervals, if messages do not wait for
 * the disk. One thread at a time may run it.
 * <p>
 * Internal: not part of the API.
 */
public final class IntervalForce implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(IntervalForce.class);

	/** Precision of the time of a change in some file systems. */
	private static final long PRECISION_MILLIS = 2_000;

	private final Path directory;

	/** Latest change that is on the disk. */
	private FileTime forced = FileTime.fromMillis(0);

	private boolean failed;

	/**
	 * Creates a task.
	 * @param directory the directory
	 */
	public IntervalForce(Path directory) {
		this.directory = directory;
	}

	@Override
	public void run() {
		try (Stream<Path> files = Files.walk(this.directory, 2)) {
			FileTime latest = this.forced;
			for (Path file : files.toList()) {
				FileTime changed = Files.getLastModifiedTime(file);
				if (Files.isRegularFile(file) && changed.toMillis() + PRECISION_MILLIS >= this.forced.toMillis()) {
					force(file);
					latest = (changed.compareTo(latest) > 0) ? changed : latest;
				}
			}
			this.forced = latest;
			this.failed = false;
		}
		catch (NoSuchFileException ex) {
			logger.debug("A file was removed while the files of {} were written to the disk", this.directory, ex);
		}
		catch (IOException ex) {
			if (!this.failed) {
				this.failed = true;
				logger.error("Failed to write the files of {} to the disk; continuing", this.directory, ex);
			}
		}
	}

	private static void force(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.force(false);
		}
	}

}
