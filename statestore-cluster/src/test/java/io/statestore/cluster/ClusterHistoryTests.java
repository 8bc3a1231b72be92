package io.statestore.cluster;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.Command;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.Reply;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests histories, which every cluster node reads from its own log. */
@Timeout(120)
class ClusterHistoryTests {

	private static final HistoryQuery ALL = new HistoryQuery(Bytes.of("*"), null, null, null);

	private static final HistoryQuery LATEST = new HistoryQuery(Bytes.of("*"), null, null, true, null);

	private final Random random = TestRandom.create(ClusterHistoryTests.class);

	/** Acknowledged changes, in order; the value is empty for a deletion. */
	private final List<Written> written = new ArrayList<>();

	@TempDir
	private Path directory;

	private StoreCluster cluster;

	@BeforeEach
	void start() throws Exception {
		this.cluster = new StoreCluster(this.directory);
		this.cluster.nodes.setHistory(HistoryRetention.UNLIMITED);
		this.cluster.startAll();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
		assertThat(this.cluster.failures).isEmpty();
	}

	private void write(int count) throws Exception {
		StoreClient client = this.cluster.connect("writer");
		List<CompletableFuture<Reply>> replies = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Bytes key = Bytes.of("k" + this.random.nextInt(20));
			Bytes value = Bytes.of("value " + this.written.size());
			this.written.add(new Written(key, value));
			replies.add(client.send(new Command.Set(key, value)));
		}
		for (CompletableFuture<Reply> reply : replies) {
			assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Ok.class);
		}
	}

	private List<StoredChange> read(HistoryQuery query) throws Exception {
		StoreClient client = this.cluster.connect("reader");
		List<StoredChange> changes = new ArrayList<>();
		AdministrationPage<StoredChange> page = client.page(query);
		changes.addAll(page.items());
		for (String token = page.token(); token != null; token = page.token()) {
			page = client.page(query.next(token));
			changes.addAll(page.items());
		}
		return changes;
	}

	private static List<Written> written(List<StoredChange> changes) {
		return changes.stream().map((change) -> new Written(change.key(), change.value())).toList();
	}

	private void snapshotAll() throws Exception {
		this.cluster.nodes.awaitNoLag();
		for (RaftNode node : this.cluster.nodes.running()) {
			node.snapshot().get(20, TimeUnit.SECONDS);
		}
	}

	private void lead(Member member) {
		TestCluster.await().until(() -> {
			Member leader = this.cluster.leader();
			if (leader.equals(member)) {
				return true;
			}
			this.cluster.nodes.node(leader).transferLeadership(this.cluster.nodes.node(member).status().node());
			return false;
		});
	}

	@Test
	void everyLeaderHasAllChanges() throws Exception {
		write(100);
		assertThat(written(read(ALL))).isEqualTo(this.written);
		List<StoredChange> changes = read(ALL);
		for (int round = 0; round < 2; round++) {
			snapshotAll();
			write(200);
		}
		for (Member member : this.cluster.nodes.members()) {
			lead(member);
			List<StoredChange> all = read(ALL);
			assertThat(written(all)).isEqualTo(this.written);
			List<StoredChange> latest = read(LATEST);
			Collections.reverse(latest);
			assertThat(latest).isEqualTo(all);
			assertThat(all).startsWith(changes.toArray(StoredChange[]::new))
				.allMatch((change) -> change.operation() == Operation.SET && "writer".equals(change.client()));
			changes = all;
		}
	}

	@Test
	void continuesAfterVersionOnNextLeader() throws Exception {
		write(300);
		snapshotAll();
		write(300);
		assertThat(read(LATEST)).first()
			.extracting(StoredChange::value)
			.isEqualTo(this.written.get(this.written.size() - 1).value);
		StoredChange last = read(ALL).get(250);
		this.cluster.kill(this.cluster.leader());
		assertThat(written(read(new HistoryQuery(ALL.pattern(), last.version(), null, null))))
			.isEqualTo(this.written.subList(251, this.written.size()));
		Map<Bytes, Bytes> content = new HashMap<>();
		this.written.subList(0, 251).forEach((written) -> content.put(written.key, written.value));
		Map<Bytes, Bytes> read = new HashMap<>();
		read(new HistoryQuery(ALL.pattern(), null, last.version(), null))
			.forEach((change) -> read.put(change.key(), change.value()));
		assertThat(read).isEqualTo(content);
	}

	@Test
	void survivesNodeAndSnapshotLoss() throws Exception {
		for (int round = 0; round < 8; round++) {
			write(this.random.nextInt(200));
			Member member = this.cluster.nodes.members().get(this.random.nextInt(3));
			switch (this.random.nextInt(4)) {
				case 0 -> {
					this.cluster.kill(member);
					write(this.random.nextInt(50));
					this.cluster.start(member);
				}
				case 1 -> snapshotAll();
				case 2 -> {
					this.cluster.nodes.isolate(member);
					this.cluster.nodes.elect();
					write(this.random.nextInt(50));
					this.cluster.nodes.heal();
				}
				default -> lead(member);
			}
			assertThat(written(read(ALL))).isEqualTo(this.written);
		}
	}

	@Test
	void nextLeaderDoesNotContinueContentOfAnother() throws Exception {
		StoreClient writer = this.cluster.connect("writer");
		Map<Bytes, Bytes> content = new HashMap<>();
		for (int i = 0; i < 10; i++) {
			Bytes key = Bytes.of("large " + i);
			content.put(key, Bytes.of("x".repeat(30_000) + i));
			writer.call(new Command.Set(key, content.get(key)));
		}
		snapshotAll();
		for (Member member : this.cluster.nodes.members()) {
			// Removes the changes before the content.
			Path changes = this.cluster.nodes.directory(member).resolve("raft/history/00000000000000000000.changes");
			Files.delete(changes);
		}
		Member leader = this.cluster.leader();
		AdministrationPage<StoredChange> first = this.cluster.connect("reader").page(ALL);
		assertThat(first.items()).hasSizeLessThan(content.size())
			.extracting(StoredChange::operation)
			.containsOnly(Operation.PRESENT);
		this.cluster.kill(leader);
		List<StoredChange> rest = read(ALL.next(Objects.requireNonNull(first.token())));
		assertThat(rest.get(0).operation()).isEqualTo(Operation.GAP);
		Map<Bytes, Bytes> read = new HashMap<>();
		rest.subList(1, rest.size()).forEach((change) -> read.put(change.key(), change.value()));
		assertThat(read).isEqualTo(content);
	}

	@Test
	void nodeThatReceivedSnapshotHasGap() throws Exception {
		write(50);
		Member absent = this.cluster.nodes.follower();
		this.cluster.nodes.awaitNoLag();
		this.cluster.nodes.isolate(absent);
		for (int round = 0; round < 2; round++) {
			write(100);
			for (Member member : this.cluster.nodes.members()) {
				if (!member.equals(absent)) {
					this.cluster.nodes.node(member).snapshot().get(20, TimeUnit.SECONDS);
				}
			}
		}
		this.cluster.nodes.heal();
		this.cluster.nodes.awaitNoLag();
		lead(absent);
		write(20);

		List<StoredChange> changes = read(ALL);
		int gap = changes.stream().map(StoredChange::operation).toList().indexOf(Operation.GAP);
		// A follower learns only later that an entry is committed.
		assertThat(gap).isBetween(0, 50);
		assertThat(written(changes.subList(0, gap))).isEqualTo(this.written.subList(0, gap));
		Map<Bytes, Bytes> content = new HashMap<>();
		this.written.forEach((written) -> content.put(written.key, written.value));
		Map<Bytes, Bytes> read = new HashMap<>();
		changes.subList(gap + 1, changes.size()).forEach((change) -> read.put(change.key(), change.value()));
		assertThat(read).isEqualTo(content);
	}

	@Test
	void removesExcessHistory() throws Exception {
		this.cluster.close();
		this.cluster = new StoreCluster(this.directory.resolve("small"));
		this.cluster.nodes.setHistory(new HistoryRetention(Duration.ofDays(1), 250_000));
		this.cluster.startAll();
		for (int round = 0; round < 10; round++) {
			write(500);
			snapshotAll();
		}
		write(10);
		List<StoredChange> changes = read(ALL);
		assertThat(changes.get(0).operation()).isEqualTo(Operation.PRESENT);
		List<StoredChange> sets = changes.stream().filter((change) -> change.operation() == Operation.SET).toList();
		assertThat(written(sets)).hasSizeGreaterThan(500)
			.isEqualTo(this.written.subList(this.written.size() - sets.size(), this.written.size()));
	}

	/** Ends a node as JRaft does when it cannot write. */
	private static void end(Member member) {
		TestCluster.jraft(member)
			.onError(new RaftException(ErrorType.ERROR_TYPE_LOG, RaftError.EIO, "The disk is broken"));
	}

	@Test
	void restartedNodeContinuesItsHistory() throws Exception {
		write(50);
		Member ended = this.cluster.leader();
		end(ended);
		TestCluster.await()
			.until(() -> this.cluster.nodes.node(ended).status().failure() == null
					&& this.cluster.nodes.node(ended).status().role() == Role.FOLLOWER);
		write(50);
		this.cluster.nodes.awaitNoLag();
		lead(ended);
		write(10);
		assertThat(written(read(ALL))).isEqualTo(this.written);
		snapshotAll();
		assertThat(written(read(ALL))).isEqualTo(this.written);
	}

	@Test
	void continuesAfterPageDespiteTwoSnapshots() throws Exception {
		writeLarge(20);
		AdministrationPage<StoredChange> page = this.cluster.connect("reader").page(ALL);
		assertThat(page.items()).hasSizeLessThan(this.written.size());
		for (int round = 0; round < 2; round++) {
			snapshotAll();
			writeLarge(5);
		}
		this.cluster.nodes.awaitNoLag();
		List<StoredChange> changes = new ArrayList<>(page.items());
		changes.addAll(read(ALL.next(Objects.requireNonNull(page.token()))));
		assertThat(changes).extracting(StoredChange::operation).containsOnly(Operation.SET);
		assertThat(written(changes)).isEqualTo(this.written);
	}

	private void writeLarge(int count) throws Exception {
		StoreClient writer = this.cluster.connect("writer");
		for (int i = 0; i < count; i++) {
			Written next = new Written(Bytes.of("large " + i), Bytes.of("x".repeat(20_000) + this.written.size()));
			this.written.add(next);
			assertThat(writer.call(new Command.Set(next.key, next.value))).isInstanceOf(Reply.Ok.class);
		}
	}

	@Test
	void leaderWithSlowDiskOmitsNoAcknowledgedChanges() throws Exception {
		write(10);
		this.cluster.nodes.awaitNoLag();
		NodeSupervisor<?> supervisor = field(this.cluster.nodes.node(this.cluster.leader()), "supervisor",
				NodeSupervisor.class);
		ReentrantLock disk = field(((JRaftNode) supervisor.current()).files().log(), "lock", ReentrantLock.class);
		AdministrationPage<StoredChange> page;
		disk.lock();
		try {
			write(1);
			page = this.cluster.connect("reader").page(ALL);
		}
		finally {
			disk.unlock();
		}
		assertThat(written(page.items())).isEqualTo(this.written.subList(0, 10));
		assertThat(written(read(ALL.next(Objects.requireNonNull(page.token())))))
			.isEqualTo(this.written.subList(10, 11));
	}

	@Test
	void replacedLeaderDoesNotAnswer() throws Exception {
		write(1);
		this.cluster.nodes.awaitNoLag();
		Member replaced = this.cluster.leader();
		StoreClient reader = this.cluster.connect(replaced, "reader");
		this.cluster.nodes.isolate(replaced);
		this.cluster.nodes.elect();
		write(1);
		assertThat(this.cluster.serves(replaced)).isTrue();
		AdministrationPage<StoredChange> page = null;
		try {
			page = reader.page(ALL);
		}
		catch (TimeoutException ex) {
			// The client will ask the next leader.
		}
		assertThat(page).isNull();
	}

	private static <T> T field(Object owner, String name, Class<T> type) throws Exception {
		Field field = owner.getClass().getDeclaredField(name);
		field.setAccessible(true);
		return type.cast(field.get(owner));
	}

	private record Written(Bytes key, Bytes value) {
	}

}
