package io.statestore.cluster;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import io.statestore.broker.log.BackupFile;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.SnapshotFile;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.server.ClusterImport;
import io.statestore.broker.storage.Fsync;
import io.statestore.cluster.storage.RaftLog;
import org.jspecify.annotations.Nullable;

/**
 * Backs up a stopped node's data, for a cluster that has lost the data of a majority. The
 * backup also contains writes that the cluster has not acknowledged.
 */
public final class NodeBackup {

	private NodeBackup() {
	}

	/**
	 * Writes a backup. Reads all keys into memory.
	 * @param directory the node's directory
	 * @param target the file to create
	 * @return the number of keys
	 * @throws io.statestore.broker.log.LogException if the node is running, or a file is
	 * damaged
	 * @throws StoreDirectoryException if the directory does not belong to a node
	 * @throws IOException if a file cannot be read or written
	 */
	public static long run(Path directory, Path target) throws IOException {
		Path files = directory.resolve(NodeFiles.LOG);
		if (!Files.exists(files)) {
			throw new StoreDirectoryException("Directory " + directory
					+ " does not belong to a cluster node. Check the path. To back up a store without a cluster, use "
					+ "'statestore backup' while it is running");
		}
		if (Files.exists(target)) {
			throw new StoreDirectoryException("File " + target + " exists. Name another file");
		}
		UUID snapshotId = RaftProvider.snapshotId();
		RaftLog log = new RaftLog(files, new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), LogOptions.SEGMENT_BYTES)
			.indexed(new SpareSpace(0)), snapshotId);
		MessageDigest digest = BackupFile.digest();
		try (OutputStream file = new BufferedOutputStream(
				Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
				SnapshotInput snapshot = snapshot(directory, snapshotId)) {
			long stored = (snapshot != null) ? snapshot.index() : 0;
			requireEntries(directory, log, stored);
			OutputStream digested = new DigestOutputStream(file, digest);
			digested.write(BackupFile.header(Instant.now()).array());
			Stream<ByteBuffer> entries = LongStream.rangeClosed(stored + 1, log.getLastLogIndex())
				.mapToObj((index) -> Objects.requireNonNull(log.getEntry(index),
						"The node's log cannot be read. Check the disk, or back up another node"))
				.filter((entry) -> entry.getType() == EntryType.ENTRY_TYPE_DATA)
				.map(LogEntry::getData);
			long keys = ClusterImport.writeBackup(snapshot, entries::iterator, digested);
			file.write(digest.digest());
			return keys;
		}
		catch (IOException | RuntimeException ex) {
			Files.deleteIfExists(target);
			throw ex;
		}
		finally {
			log.close();
		}
	}

	/** Checks that the log has all entries after the snapshot. */
	private static void requireEntries(Path directory, RaftLog log, long snapshotIndex) throws IOException {
		if (log.getFirstLogIndex() > snapshotIndex + 1) {
			throw new StoreDirectoryException("Directory " + directory + " has no snapshot of the entries before "
					+ log.getFirstLogIndex() + ". Back up another node, or use an earlier backup");
		}
		if (snapshotIndex == 0 && log.getLastLogIndex() == 0) {
			throw new StoreDirectoryException(
					"The node of directory " + directory + " has no entries yet. Back up another node");
		}
	}

	/** Opens the latest snapshot, {@code null} if there is none. */
	private static @Nullable SnapshotInput snapshot(Path directory, UUID snapshotId) throws IOException {
		Path snapshots = directory.resolve(NodeFiles.SNAPSHOTS);
		if (!Files.exists(snapshots)) {
			return null;
		}
		try (Stream<Path> files = Files.walk(snapshots)) {
			Path latest = files.filter((file) -> file.toString().endsWith(".snapshot"))
				.filter((file) -> !file.startsWith(snapshots.resolve("temp")))
				.max(Comparator.comparing((file) -> String.valueOf(file.getFileName())))
				.orElse(null);
			return (latest != null) ? SnapshotFile.open(latest, snapshotId) : null;
		}
	}

}
