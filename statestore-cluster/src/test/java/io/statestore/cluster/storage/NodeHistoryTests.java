package io.statestore.cluster.storage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import io.statestore.broker.engine.LogEntry.Start;
import io.statestore.broker.engine.LogEntry.Write;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.engine.StateSnapshot;
import io.statestore.broker.history.HistoryPages;
import io.statestore.broker.history.StoreHistory;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.SnapshotFile;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.log.SnapshotOutput;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Tests a node's history. The tests play the role of consensus. */
@Timeout(60)
class NodeHistoryTests {

	private static final LogOptions OPTIONS = new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), 64 << 10)
		.indexed(new SpareSpace(8_192))
		.history(HistoryRetention.UNLIMITED);

	private static final UUID CLUSTER = UUID.randomUUID();

	@TempDir
	private Path directory;

	private LogOptions options = OPTIONS;

	private RaftLog log;

	private StoreHistory history;

	private StateMachine machine;

	/** Index of the last entry that the machine has applied. */
	private long applied;

	/** Latest snapshot that consensus has accepted. */
	private long accepted;

	@BeforeEach
	void start() throws IOException {
		this.log = new RaftLog(this.directory.resolve("raft"), this.options, CLUSTER);
		this.history = new StoreHistory(this.log, this.accepted);
		if (this.accepted > 0) {
			try (SnapshotInput input = SnapshotFile.open(file(this.accepted), CLUSTER)) {
				this.machine = StateMachine.restore(input, this.history::changed);
			}
		}
		else {
			this.machine = new StateMachine(this.history::changed);
		}
		this.history.recordChangesOf(this.machine);
		this.applied = this.accepted;
		while (this.applied < this.log.getLastLogIndex()) {
			apply(Objects.requireNonNull(this.log.getEntry(this.applied + 1)));
		}
	}

	@AfterEach
	void stop() {
		this.log.close();
	}

	private LogEntry start(long term) {
		return entry(term, new Start(0, 1, null, 1, new Quota(1_000, 1 << 20), 1 << 20, null, true));
	}

	private LogEntry set(long index, long term, String value) {
		LogEntry set = entry(term, new Write(index, 1, null, new Command.Set(Bytes.of("k"), Bytes.of(value)),
				"1000:0:client", null, "client", Bytes.of(value), 0, null, true));
		set.getId().setIndex(index);
		return set;
	}

	private LogEntry entry(long term, io.statestore.broker.engine.LogEntry content) {
		byte[] bytes = LogEntryCodec.encode(content);
		LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
		entry.setId(new LogId(1, term));
		entry.setData(ByteBuffer.allocate(5 + bytes.length).put((byte) 1).putInt(bytes.length).put(bytes).flip());
		return entry;
	}

	private void append(LogEntry entry) {
		assertThat(this.log.appendEntry(entry)).isTrue();
	}

	private void apply(LogEntry entry) {
		this.applied = entry.getId().getIndex();
		this.history.applying(this.applied, entry.getId().getTerm());
		Replica.entries(entry.getData()).forEach((each) -> this.machine.apply(LogEntryCodec.decode(each)));
	}

	private void write(String value) {
		LogEntry set = set(this.applied + 1, 1, value);
		append(set);
		apply(set);
	}

	private Path file(long index) {
		return this.directory.resolve(SnapshotFile.name(index));
	}

	/** Writes a snapshot that consensus has not accepted yet. */
	private void snapshot() throws IOException {
		this.history.cut();
		Files.deleteIfExists(file(this.applied));
		try (SnapshotOutput output = SnapshotFile.create(this.directory, CLUSTER, this.applied);
				StateSnapshot snapshot = this.machine.beginSnapshot()) {
			for (ByteBuffer slice = snapshot.next(1_000); slice != null; slice = snapshot.next(1_000)) {
				output.write(slice.array(), slice.arrayOffset() + slice.position(), slice.remaining());
			}
			output.commit();
		}
		this.history.continueBehind(this.applied, file(this.applied), Runnable::run);
	}

	private List<StoredChange> read() {
		List<StoredChange> changes = new ArrayList<>();
		HistoryQuery query = new HistoryQuery(Bytes.of("*"), null, null, null);
		try (HistoryPages pages = new HistoryPages(this.history)) {
			AdministrationPage<StoredChange> page = pages.page(this, query, (key) -> true).join();
			changes.addAll(page.items());
			for (String token = page.token(); token != null; token = page.token()) {
				page = pages.page(this, query.next(token), (key) -> true).join();
				changes.addAll(page.items());
			}
		}
		return changes;
	}

	private static List<String> values(List<StoredChange> changes) {
		return changes.stream().map((change) -> change.value().toUtf8()).toList();
	}

	@Test
	void restartForgetsUnacceptedSnapshots() throws IOException {
		LogEntry start = start(1);
		append(start);
		apply(start);
		write("a");
		snapshot();
		write("b");
		snapshot();
		write("c");
		stop();
		start();
		write("d");
		snapshot();
		write("e");
		assertThat(values(read())).containsExactly("a", "b", "c", "d", "e");
	}

	@Test
	void snapshotWaitsForReplacementEntries() throws IOException {
		LogEntry start = start(1);
		append(start);
		apply(start);
		write("a");
		append(set(3, 1, "uncommitted"));
		// JRaft removes and appends entries later, on another thread.
		LogEntry committed = set(3, 2, "b");
		apply(committed);
		try {
			snapshot();
		}
		catch (IOException ex) {
			assertThatIOException().isThrownBy(this::snapshot);
		}
		assertThat(this.log.truncateSuffix(2)).isTrue();
		append(committed);
		LogEntry next = set(4, 2, "c");
		append(next);
		apply(next);
		assertThat(values(read())).containsExactly("a", "b", "c");
	}

	private void apply(Replica replica, RaftLog log, LogEntry entry) {
		assertThat(log.appendEntry(entry)).isTrue();
		replica.apply(entry.getId().getIndex(), 1, entry.getData(), null);
	}

	private Path snapshot(Replica replica, long index) throws IOException {
		Replica.Snapshot snapshot = replica.snapshot();
		try (SnapshotOutput output = SnapshotFile.create(this.directory, CLUSTER, index)) {
			snapshot.write(output);
			output.commit();
		}
		snapshot.written(index, file(index));
		return file(index);
	}

	@Test
	void failedSnapshotRemovesOutdatedHistory() throws IOException {
		LogOptions options = OPTIONS.history(new HistoryRetention(Duration.ofMillis(100), Long.MAX_VALUE));
		RaftLog log = new RaftLog(this.directory.resolve("old"), options, CLUSTER);
		try (Replica replica = new Replica(StateStoreServerOptions.defaults(), Long.MAX_VALUE, (error) -> {
		})) {
			replica.keepHistory(log);
			apply(replica, log, start(1));
			apply(replica, log, set(2, 1, "a"));
			snapshot(replica, 2);
			Path changes = this.directory.resolve("old/history/00000000000000000000.changes");
			assertThat(changes).exists();
			Awaitility.await().until(() -> {
				assertThatIOException().isThrownBy(() -> replica.snapshot().write(new OutputStream() {

					@Override
					public void write(int value) throws IOException {
						throw new IOException("No space left on device");
					}

				}));
				return !Files.exists(changes);
			});
		}
		finally {
			log.close();
		}
	}

	@Test
	void nodeThatFailedToKeepSnapshotHasNoHistory() throws IOException {
		try (Replica leader = new Replica(StateStoreServerOptions.defaults(), Long.MAX_VALUE, (error) -> {
		}); Replica replica = new Replica(StateStoreServerOptions.defaults(), Long.MAX_VALUE, (error) -> {
		})) {
			leader.apply(1, 1, start(1).getData(), null);
			leader.apply(2, 1, set(2, 1, "a").getData(), null);
			Path installed = snapshot(leader, 2);
			replica.keepHistory(this.log);
			try (SnapshotInput input = SnapshotFile.open(installed, CLUSTER)) {
				replica.restore(2, this.directory.resolve("does not exist"), input);
			}
			this.log.reset(3);
			// The consensus node restarts.
			replica.keepHistory(this.log);
			LogEntry set = set(3, 1, "b");
			apply(replica, this.log, set);
			this.accepted = 3;
			snapshot(replica, 3);
			stop();
			start();
			this.log.past().keep(file(3));
			assertThat(read().get(0).operation()).isIn(Operation.PRESENT, Operation.GAP);
		}
	}

	@Test
	void installedSnapshotRemovesExcessHistory() throws IOException {
		RaftLog log = new RaftLog(this.directory.resolve("small"),
				OPTIONS.history(new HistoryRetention(Duration.ofDays(1), 1)), CLUSTER);
		try (Replica leader = new Replica(StateStoreServerOptions.defaults(), Long.MAX_VALUE, (error) -> {
		}); Replica replica = new Replica(StateStoreServerOptions.defaults(), Long.MAX_VALUE, (error) -> {
		})) {
			replica.keepHistory(log);
			leader.apply(1, 1, start(1).getData(), null);
			for (int index = 2; index < 6; index++) {
				leader.apply(index, 1, set(index, 1, "value " + index).getData(), null);
				try (SnapshotInput input = SnapshotFile.open(snapshot(leader, index), CLUSTER)) {
					replica.restore(index, file(index), input);
				}
				log.reset(index + 1);
			}
			Path history = this.directory.resolve("small/history");
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(history.toFile().list((file, name) -> name.endsWith(".snapshot"))).hasSize(1));
		}
		finally {
			log.close();
		}
	}

	@Test
	void installedSnapshotEndsHistoryAfterEntriesOnDisk() throws IOException {
		LogEntry start = start(1);
		append(start);
		apply(start);
		write("a");
		// The majority was faster than this node's disk, which also lacks entry 3 of the
		// new term.
		apply(set(4, 2, "b"));
		this.history.end();
		this.log.reset(500);
		try (SnapshotOutput output = SnapshotFile.create(this.directory, CLUSTER, 499);
				StateSnapshot snapshot = this.machine.beginSnapshot()) {
			for (ByteBuffer slice = snapshot.next(1_000); slice != null; slice = snapshot.next(1_000)) {
				output.write(slice.array(), slice.arrayOffset() + slice.position(), slice.remaining());
			}
			output.commit();
		}
		this.log.past().keep(file(499));
		stop();
		this.accepted = 499;
		start();
		LogEntry later = set(500, 2, "later");
		append(later);
		apply(later);
		assertThat(values(read())).endsWith("b", "later").containsOnlyOnce("later");
	}

	@Test
	void removesDamagedFile() throws IOException {
		LogEntry start = start(1);
		append(start);
		apply(start);
		write("a");
		snapshot();
		this.accepted = this.applied;
		stop();
		Path changes = this.directory.resolve("raft/history/00000000000000000000.changes");
		byte[] bytes = Files.readAllBytes(changes);
		bytes[bytes.length - 1] ^= 1;
		Files.write(changes, bytes);
		this.options = OPTIONS.history(new HistoryRetention(Duration.ofDays(1), 1));
		start();
		for (int round = 0; round < 3; round++) {
			write("b" + round);
			snapshot();
		}
		assertThat(changes).doesNotExist();
	}

}
