package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the files and folders of a directory to the disk in intervals, if messages do
 * not wait for the disk. One thread at a time may run it.
 */
final class DirectoryForce implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(DirectoryForce.class);

	private final Path directory;

	private final SessionFile sessions;

	private final IOCriticalErrorListener failures;

	private final Disk disk;

	/** Last seen state of each file and folder. */
	private final Map<Path, State> states = new HashMap<>();

	/** Files and folders found by the latest run. */
	private final Set<Path> present = new HashSet<>();

	/**
	 * Creates a task.
	 * @param directory the directory
	 * @param sessions the file of sessions in it
	 * @param failures receives failures of the disk
	 */
	DirectoryForce(Path directory, SessionFile sessions, IOCriticalErrorListener failures) {
		this(directory, sessions, failures, Disk.REAL);
	}

	DirectoryForce(Path directory, SessionFile sessions, IOCriticalErrorListener failures, Disk disk) {
		this.directory = directory;
		this.sessions = sessions;
		this.failures = failures;
		this.disk = disk;
	}

	@Override
	public void run() {
		forceSessions();
		this.present.clear();
		try {
			Files.walkFileTree(this.directory, Set.of(), 2, new Visitor());
			this.states.keySet().retainAll(this.present);
		}
		catch (IOException ex) {
			this.failures.onIOException(ex, "Failed to write " + this.directory + " to the disk", null);
		}
	}

	/** Also lets the file detect later damage to what is on the disk now. */
	private void forceSessions() {
		try {
			this.sessions.forceAll();
		}
		catch (IOException ex) {
			logger.debug("Failed to write the sessions to the disk, which the next change of a session reports", ex);
		}
	}

	private void forceIfChanged(Path path) throws IOException {
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
			this.present.add(path);
		}
		catch (NoSuchFileException ex) {
			logger.debug("{} was removed meanwhile", path, ex);
		}
	}

	/** Visits files and folders, which may be removed at any time. */
	private final class Visitor extends SimpleFileVisitor<Path> {

		@Override
		public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
			forceIfChanged(folder);
			return FileVisitResult.CONTINUE;
		}

		@Override
		public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
			forceIfChanged(file);
			return FileVisitResult.CONTINUE;
		}

		@Override
		public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
			if (failure instanceof NoSuchFileException) {
				return FileVisitResult.CONTINUE;
			}
			throw failure;
		}

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
