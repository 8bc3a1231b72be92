package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the files and folders of a directory to the disk in intervals, if messages do
 * not wait for the disk. One thread at a time may run it.
 * <p>
 * Internal: not part of the API.
 */
public final class DirectoryForce implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(DirectoryForce.class);

	private final Path directory;

	private final IOCriticalErrorListener failures;

	private final Disk disk;

	/** Last seen state of each file and folder. */
	private final Map<Path, State> states = new HashMap<>();

	/**
	 * Creates a task.
	 * @param directory the directory
	 * @param failures receives failures of the disk
	 */
	public DirectoryForce(Path directory, IOCriticalErrorListener failures) {
		this(directory, failures, DirectoryForce::force);
	}

	DirectoryForce(Path directory, IOCriticalErrorListener failures, Disk disk) {
		this.directory = directory;
		this.failures = failures;
		this.disk = disk;
	}

	@Override
	public void run() {
		Set<Path> present = new HashSet<>();
		try (Stream<Path> files = Files.walk(this.directory, 2)) {
			List<Path> paths = files.toList();
			for (Path path : paths) {
				if (forceIfChanged(path)) {
					present.add(path);
				}
			}
			this.states.keySet().retainAll(present);
		}
		catch (IOException ex) {
			this.failures.onIOException(ex, "Failed to write " + this.directory + " to the disk", null);
		}
	}

	/** Returns whether the file exists. */
	private boolean forceIfChanged(Path path) throws IOException {
		try {
			BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
			State earlier = this.states.get(path);
			boolean unchanged = earlier != null && earlier.isOf(attributes);
			// The time of a change has a limited precision. A file is therefore forced
			// once more after its last visible change.
			if (earlier == null || !unchanged || !earlier.settled()) {
				this.disk.force(path, attributes.isDirectory());
			}
			this.states.put(path, new State(attributes.lastModifiedTime(), attributes.size(), unchanged));
			return true;
		}
		catch (NoSuchFileException ex) {
			logger.debug("{} was removed meanwhile", path, ex);
			return false;
		}
	}

	private static void force(Path path, boolean directory) throws IOException {
		try (FileChannel channel = FileChannel.open(path,
				directory ? StandardOpenOption.READ : StandardOpenOption.WRITE)) {
			channel.force(directory);
		}
	}

	/** Writes one file or folder to the disk. */
	interface Disk {

		/** Returns when the file is on the disk. */
		void force(Path path, boolean directory) throws IOException;

	}

	/**
	 * State of a file.
	 *
	 * @param modified time of its last change
	 * @param size size in bytes
	 * @param settled whether it was forced after the last visible change was seen
	 */
	private record State(FileTime modified, long size, boolean settled) {

		boolean isOf(BasicFileAttributes attributes) {
			return this.modified.equals(attributes.lastModifiedTime()) && this.size == attributes.size();
		}

	}

}
