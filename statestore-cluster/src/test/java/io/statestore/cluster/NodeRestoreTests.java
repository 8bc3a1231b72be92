package io.statestore.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.statestore.broker.log.LogException;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.server.TestBackups;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class NodeRestoreTests {

	private static final UUID ID = RaftProvider.snapshotId();

	@TempDir
	private Path directory;

	private Path store;

	private Path backup;

	private Path node;

	@BeforeEach
	void backUp() throws Exception {
		this.store = this.directory.resolve("store");
		this.backup = this.directory.resolve("backup");
		this.node = this.directory.resolve("node");
		write("k", this.backup);
	}

	/** Stores a key, and writes a backup. */
	private void write(String key, Path file) throws Exception {
		StateStoreServerOptions options = StateStoreServerOptions.defaults().withStorage(StorageOptions.in(this.store));
		try (StateStoreServer server = new StateStoreServer(options)) {
			assertThat(new StoreClient(server, "client").call(new Command.Set(Bytes.of(key), Bytes.of("v"))))
				.isInstanceOf(Reply.Ok.class);
			TestBackups.write(server, file);
		}
	}

	private static List<String> files(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.map((file) -> file.getFileName().toString()).sorted().toList();
		}
	}

	private @Nullable UUID digest(String name, Path file, @Nullable Version after) throws IOException {
		Path target = this.directory.resolve(name);
		NodeRestore.run(file, target, after);
		return NodeSeed.digest(target, ID);
	}

	@Test
	void sameBackupResultsInSameState() throws Exception {
		UUID one = digest("one", this.backup, null);
		assertThat(one).isNotNull().isEqualTo(digest("same", this.backup, null));
		assertThat(digest("earlier", this.backup, Version.parse("1064000000000:12:StateStore"))).isEqualTo(one);
		assertThat(digest("versions", this.backup, Version.parse("2064000000000:12:StateStore"))).isNotEqualTo(one)
			.isNotEqualTo(digest("others", this.backup, Version.parse("2064000000000:13:StateStore")));
		Path later = this.directory.resolve("later");
		write("later", later);
		assertThat(digest("later-backup", later, null)).isNotEqualTo(one);
	}

	@Test
	void leavesOnlyCompleteState() throws Exception {
		assertThat(NodeRestore.run(this.backup, this.node, null)).isEqualTo(1);
		assertThat(files(this.node)).containsExactly(NodeSeed.FILE, StoreDirectory.LOCK);
	}

	@Test
	void refusesDamagedBackupAndCanBeRepeated() throws Exception {
		byte[] bytes = Files.readAllBytes(this.backup);
		for (int size : new int[] { 0, 10, bytes.length / 3, bytes.length / 2 }) {
			Path damaged = Files.write(this.directory.resolve("damaged"), Arrays.copyOf(bytes, size));
			assertThatExceptionOfType(LogException.class).as("size %d", size)
				.isThrownBy(() -> NodeRestore.run(damaged, this.node, null))
				.withMessageContaining(damaged.toString());
			assertThat(NodeSeed.digest(this.node, ID)).isNull();
		}
		assertThat(NodeRestore.run(this.backup, this.node, null)).isEqualTo(1);
	}

	@Test
	void refusesMissingBackup() {
		Path missing = this.directory.resolve("missing");
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> NodeRestore.run(missing, this.node, null))
			.withMessageContaining(missing + " cannot be read. Check the path");
	}

	@Test
	void keepsExistingFiles() throws Exception {
		List<String> before = files(this.store);
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> NodeRestore.run(this.backup, this.store, null))
			.withMessageContaining("has files, such as '");
		assertThat(files(this.store)).isEqualTo(before);
		NodeRestore.run(this.backup, this.node, null);
		UUID digest = NodeSeed.digest(this.node, ID);
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> NodeRestore.run(this.backup, this.node, null))
			.withMessageContaining("has files, such as '" + NodeSeed.FILE);
		assertThat(NodeSeed.digest(this.node, ID)).isEqualTo(digest);
	}

	@Test
	void refusesDirectoryInUse() throws Exception {
		Files.createDirectory(this.node);
		try (Closeable lock = StoreDirectory.lock(this.node)) {
			assertThat(lock).isNotNull();
			assertThatExceptionOfType(StoreDirectoryException.class)
				.isThrownBy(() -> NodeRestore.run(this.backup, this.node, null))
				.withMessageContaining("is in use by this process");
		}
		assertThat(files(this.node)).containsExactly(StoreDirectory.LOCK);
	}

	@Test
	void refusesStateChangedBeforeInstallation() throws Exception {
		NodeRestore.run(this.backup, this.node, null);
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> NodeSeed.install(this.node, ID, UUID.randomUUID(), List.of(TestCluster.newMember()),
					this.node.resolve(NodeFiles.SNAPSHOTS)))
			.withMessageContaining("Restore the backup into an empty directory");
	}

}
