package io.statestore.broker.server;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.server.Change.Operation;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The journal of a store that was restored from a backup. */
class JournalRestoreTests {

	private static final int KEYS = 20;

	@TempDir
	Path temporary;

	private final TestJournal journal = new TestJournal();

	private static StateStoreServer start(Path directory, @Nullable ChangeJournal journal) {
		StateStoreServerOptions options = StateStoreServerOptions.defaults().withStorage(StorageOptions.in(directory));
		return new StateStoreServer((journal != null) ? options.withJournal(journal) : options,
				new ServerTuning(1 << 20, LogOptions.SEGMENT_BYTES, 0, FileLog::open));
	}

	private static Bytes key(int number) {
		return Bytes.of("k" + number);
	}

	private void set(Path directory, int from, int to) {
		try (StateStoreServer server = start(directory, this.journal)) {
			RecordingConnection client = RecordingConnection.to(server, "client");
			for (int i = from; i < to; i++) {
				client.call(new Command.Set(key(i), Bytes.of("v")));
			}
		}
	}

	/** Restores a backup that lacks the latest half of the changes. */
	private Path restored() {
		Path original = this.temporary.resolve("original");
		Path file = this.temporary.resolve("backup");
		Path restored = this.temporary.resolve("restored");
		set(original, 0, KEYS / 2);
		TestBackups.write(original, file);
		set(original, KEYS / 2, KEYS);
		StoreDirectory.restore(file, restored, this.journal.last());
		return restored;
	}

	private void writesContent(Path directory) {
		try (StateStoreServer server = start(directory, this.journal)) {
			Map<Bytes, Bytes> content = new HashMap<>();
			RecordingConnection client = RecordingConnection.to(server, "reader");
			for (int i = 0; i < KEYS; i++) {
				if (client.call(new Command.Get(key(i))).reply() instanceof Reply.Value value) {
					content.put(key(i), value.value());
				}
			}
			assertThat(content).hasSize(KEYS / 2);
			await("the content").until(() -> !this.journal.isAfterGap() && this.journal.rebuild().equals(content));
		}
		assertThat(this.journal.changes()).filteredOn((it) -> it.operation() == Operation.GAP).hasSize(1);
	}

	@Test
	void writesContentOfRestoredStore() {
		writesContent(restored());
	}

	@Test
	void writesContentIfRestoredStoreRanWithoutJournal() {
		Path restored = restored();
		start(restored, null).close();
		writesContent(restored);
	}

	@Test
	void writesContentIfRestoredStoreOnlyWroteSnapshot() {
		Path restored = restored();
		try (StateStoreServer server = start(restored, null)) {
			RecordingConnection client = RecordingConnection.to(server, "client");
			long before = server.durability().orElseThrow().snapshotIndex();
			await("a snapshot").until(() -> {
				client.call(new Command.Set(key(0), Bytes.of("refused"), Condition.IF_ABSENT, null));
				return server.durability().orElseThrow().snapshotIndex() > before + 1;
			});
		}
		writesContent(restored);
	}

	@Test
	void continuesAfterSnapshotWithoutChanges() {
		Path directory = this.temporary.resolve("store");
		for (int i = 0; i < 3; i++) {
			try (StateStoreServer server = start(directory, this.journal)) {
				RecordingConnection client = RecordingConnection.to(server, "client");
				long before = server.durability().orElseThrow().snapshotIndex();
				await("a snapshot").until(() -> {
					client.call(new Command.VDel(key(0), Bytes.of("refused")));
					return server.durability().orElseThrow().snapshotIndex() > before + 1;
				});
			}
		}
		assertThat(this.journal.changes()).extracting(Change::operation).containsExactly(Operation.START);
	}

}
