package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.BackupReport;
import io.statestore.broker.log.SnapshotFile;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.log.TwinFile;
import io.statestore.cluster.BackupRequests.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Copies the state of a node into the file of a backup, as that of a single store. A
 * snapshot has committed entries only. A node that runs writes one on request.
 */
public final class NodeBackup {

	private static final int TRIES = 10;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	/** Time within which a node answers, unless its disk is extremely slow. */
	private static final Duration TIMEOUT = Duration.ofMinutes(10);

	private final Path directory;

	private final Path file;

	private final NodeIdentity identity;

	private final UUID snapshotId;

	private NodeBackup(Path directory, Path file) throws IOException {
		this.directory = directory;
		this.file = file;
		NodeIdentity identity = NodeIdentity.decode(TwinFile.read(directory.resolve(NodeDirectory.NODE)));
		if (identity == null) {
			throw refusal("was written by another version. Use that version");
		}
		this.identity = identity;
		this.snapshotId = RaftNodeOptions.snapshotId(identity.cluster());
	}

	/**
	 * Returns whether a directory is that of a node of a cluster.
	 * @param directory the directory
	 * @return whether {@link #run} can be used
	 */
	public static boolean isNode(Path directory) {
		return Files.isRegularFile(directory.resolve(NodeDirectory.NODE));
	}

	/**
	 * Creates a backup. Waits for the snapshot of a running node.
	 * @param directory directory of a node
	 * @param file the ZIP file to create
	 * @return a description of the backup
	 * @throws NodeDirectoryException if the node has no snapshot, or cannot write one
	 * @throws io.statestore.broker.log.LogException if the file exists, or a file of the
	 * node is damaged
	 * @throws IOException if a file cannot be read or written
	 */
	public static Result run(Path directory, Path file) throws IOException {
		return new NodeBackup(directory, file).run();
	}

	private Result run() throws IOException {
		Instant begin = Instant.now();
		Content content = prepare();
		for (int tries = 1;; tries++) {
			try {
				return copy(newest(content), content, begin);
			}
			catch (NoSuchFileException ex) {
				// The node has replaced the snapshot by a later one.
				if (tries == TRIES) {
					throw ex;
				}
			}
		}
	}

	private Content prepare() throws IOException {
		if (!NodeLock.isHeld(this.directory)) {
			return Content.LATEST_SNAPSHOT;
		}
		return switch (request()) {
			case CURRENT -> Content.ACKNOWLEDGED;
			case ALONE -> Content.APPLIED;
			case FAILED -> throw refusal("is that of node " + this.identity.node()
					+ ", which cannot write a snapshot. Its log shows the reason. Check the space on its disk, or use "
					+ "another node");
		};
	}

	private Answer request() throws IOException {
		Path request;
		try {
			request = BackupRequests.create(this.directory);
		}
		catch (AccessDeniedException ex) {
			throw refusal("is that of a running node, from which this user cannot request a snapshot. Run the command "
					+ "as the user of the node");
		}
		try {
			return await(request);
		}
		finally {
			BackupRequests.delete(request);
		}
	}

	private Answer await(Path request) throws IOException {
		long start = System.nanoTime();
		while (System.nanoTime() - start < TIMEOUT.toNanos()) {
			Answer answer = BackupRequests.answer(request);
			if (answer != null) {
				return answer;
			}
			if (!NodeLock.isHeld(this.directory)) {
				throw refusal("is that of a node that has ended meanwhile. Repeat the command");
			}
			LockSupport.parkNanos(PAUSE_NANOS);
		}
		throw refusal("is that of a node that does not answer. Check its process, or use another node");
	}

	private Path newest(Content content) throws IOException {
		Path snapshots = this.directory.resolve(NodeFiles.SNAPSHOTS);
		Path newest = Files.isDirectory(snapshots) ? newest(snapshots) : null;
		if (newest == null) {
			throw refusal("has no snapshot yet" + ((content == Content.LATEST_SNAPSHOT)
					? ", and its node does not run. Start the node, and repeat " + "the command"
					: ". Use another node"));
		}
		return newest;
	}

	private static @Nullable Path newest(Path snapshots) throws IOException {
		try (Stream<Path> directories = Files.list(snapshots)) {
			Path newest = directories.filter((path) -> path.getFileName().toString().matches("snapshot_\\d{1,18}"))
				.max(Comparator.comparingLong(NodeBackup::index))
				.orElse(null);
			return (newest != null) ? file(newest) : null;
		}
	}

	private static long index(Path snapshot) {
		return Long.parseLong(snapshot.getFileName().toString().substring("snapshot_".length()));
	}

	/** Returns the file in the directory of a snapshot. */
	private static Path file(Path snapshot) throws IOException {
		try (Stream<Path> files = Files.list(snapshot)) {
			return files.filter((path) -> path.getFileName().toString().endsWith(".snapshot"))
				.findFirst()
				.orElseThrow(() -> new NoSuchFileException(snapshot.toString()));
		}
	}

	private Result copy(Path snapshot, Content content, Instant begin) throws IOException {
		// Opened twice before the node can delete it.
		try (SnapshotInput header = SnapshotFile.open(snapshot, this.snapshotId);
				SnapshotInput input = SnapshotFile.open(snapshot, this.snapshotId)) {
			BackupReport report = StoreDirectory.backup(input, this.file);
			return new Result(report, this.identity.node(), StateMachine.keyCount(header),
					(content == Content.LATEST_SNAPSHOT) ? input.time() : begin, content);
		}
	}

	private NodeDirectoryException refusal(String reason) {
		return new NodeDirectoryException("Directory " + this.directory + ' ' + reason);
	}

	/**
	 * Description of a backup.
	 *
	 * @param report the file
	 * @param node the node
	 * @param keys number of keys, including expired ones that have not been removed
	 * @param time time of the state, by the wall clock
	 * @param content what the backup has
	 */
	public record Result(BackupReport report, String node, long keys, Instant time, Content content) {
	}

	/** Content of a backup. */
	public enum Content {

		/** Every write that any node acknowledged before the command. */
		ACKNOWLEDGED,

		/** The writes that the node has applied. It knows no leader. */
		APPLIED,

		/** The latest snapshot of a node that does not run. */
		LATEST_SNAPSHOT

	}

}
