package io.statestore.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotStorage;
import io.statestore.broker.log.BackupFile;
import io.statestore.broker.log.SnapshotFile;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.log.SnapshotOutput;
import io.statestore.broker.log.StoreDirectoryException;
import org.jspecify.annotations.Nullable;

/**
 * State that a new cluster begins with, in each founder's directory. The founders compare
 * the digests of their states, so that all begin with the same state.
 */
final class NodeSeed {

	/** Index of the last entry that the state includes. The log begins after it. */
	static final long INDEX = 1;

	/** Term of this entry. */
	static final long TERM = 1;

	/** Name of the file in the node's directory. */
	static final String FILE = SnapshotFile.name(INDEX);

	private NodeSeed() {
	}

	/**
	 * Writes the state for a node that has not been started. The file exists only if it
	 * is complete.
	 * @param directory the node's directory
	 * @param snapshotId identity contained in the cluster's snapshots
	 * @return the number of keys
	 */
	static long create(Path directory, UUID snapshotId, Content content) throws IOException {
		try (SnapshotOutput output = SnapshotFile.create(directory, snapshotId, INDEX)) {
			long keys = content.write(output);
			output.commit();
			SnapshotFile.verify(directory.resolve(FILE), snapshotId);
			return keys;
		}
		catch (IOException | RuntimeException | Error ex) {
			delete(directory);
			throw ex;
		}
	}

	/** Returns a digest of the state, or {@code null} if there is none. */
	static @Nullable UUID digest(Path directory, UUID snapshotId) throws IOException {
		if (!Files.exists(directory.resolve(FILE))) {
			return null;
		}
		return copy(directory, snapshotId, OutputStream.nullOutputStream());
	}

	private static UUID copy(Path directory, UUID snapshotId, OutputStream target) throws IOException {
		MessageDigest digest = BackupFile.digest();
		try (SnapshotInput input = SnapshotFile.open(directory.resolve(FILE), snapshotId);
				InputStream digested = new DigestInputStream(input, digest)) {
			digested.transferTo(target);
		}
		ByteBuffer bytes = ByteBuffer.wrap(digest.digest());
		return new UUID(bytes.getLong(), bytes.getLong());
	}

	/**
	 * Makes the state the first snapshot of a node that has never voted. Removes the
	 * remains of an interrupted start.
	 * @param directory the node's directory
	 * @param snapshotId identity contained in the cluster's snapshots
	 * @param seed expected digest of the state
	 * @param members the cluster's members
	 * @param snapshots directory for snapshots
	 * @throws StoreDirectoryException if the state has another digest
	 */
	static void install(Path directory, UUID snapshotId, UUID seed, List<Member> members, Path snapshots)
			throws IOException {
		deleteAll(snapshots);
		RaftOptions options = new RaftOptions();
		options.setSyncMeta(true);
		LocalSnapshotStorage storage = new LocalSnapshotStorage(snapshots.toString(), "", options);
		SnapshotWriter writer = storage.init(null) ? storage.create() : null;
		if (writer == null) {
			throw new IOException("Cannot create a snapshot in " + snapshots + ". The log shows the reason");
		}
		try (SnapshotOutput output = SnapshotFile.create(Path.of(writer.getPath()), snapshotId, INDEX)) {
			if (!copy(directory, snapshotId, output).equals(seed)) {
				throw new StoreDirectoryException("Directory " + directory + " has a different state in '" + FILE
						+ "' than at an earlier start. Restore the backup into an empty directory");
			}
			output.commit();
		}
		writer.addFile(FILE);
		SnapshotMeta.Builder meta = SnapshotMeta.newBuilder().setLastIncludedIndex(INDEX).setLastIncludedTerm(TERM);
		members.forEach((member) -> meta.addPeers(member.peer().toString()));
		writer.saveMeta(meta.build());
		// Closing gives the snapshot its final name.
		writer.close();
	}

	/** Deletes the state, if any, once the node has installed it. */
	static void delete(Path directory) throws IOException {
		Files.deleteIfExists(directory.resolve(FILE));
	}

	/** Deletes a directory and all its files, if it exists. */
	static void deleteAll(Path directory) throws IOException {
		if (!Files.exists(directory)) {
			return;
		}
		List<Path> files;
		try (Stream<Path> tree = Files.walk(directory)) {
			files = tree.sorted(Comparator.reverseOrder()).toList();
		}
		for (Path file : files) {
			Files.delete(file);
		}
	}

	@FunctionalInterface
	interface Content {

		/** Writes the state, and returns its number of keys. */
		long write(OutputStream output) throws IOException;

	}

}
