package io.statestore.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import com.alipay.sofa.jraft.entity.PeerId;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.log.LogException;
import io.statestore.protocol.ClusterNodeState.Role;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests a node whose disk is full. JRaft must not notice this, because it would end the
 * node. Needs root to mount a file system of a few megabytes.
 */
class FullDiskTests {

	private static final String LARGE = "x".repeat(20_000);

	/** Number of large entries that do not fit in the remaining space. */
	private static final int ENTRIES = 40;

	@TempDir
	private static Path directory;

	private static TestCluster cluster;

	private static Member small;

	@BeforeAll
	static void start() throws Exception {
		cluster = new TestCluster(directory, 3);
		small = cluster.members().get(0);
		Path disk = Files.createDirectories(cluster.directory(small));
		assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk.toString()), "Cannot mount");
		cluster.startAll();
	}

	@BeforeEach
	void restore() throws Exception {
		Files.deleteIfExists(filler());
		cluster.restore();
	}

	@AfterAll
	static void stop() throws Exception {
		cluster.close();
		run("umount", cluster.directory(small).toString());
	}

	private static boolean run(String... command) throws IOException, InterruptedException {
		try {
			return new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Test
	void leaderRejectsEntriesAndLetsAnotherNodeLead() throws Exception {
		lead(small);
		fill();
		int committed = proposeUntilRejected();
		TestCluster.await().until(() -> !cluster.leader().equals(small));
		cluster.commit("on another leader");
		Files.delete(filler());
		assertThat(cluster.awaitEqual(committed + 1).get(committed)).isEqualTo("on another leader");
		assertThat(cluster.machine(small).hasFailed()).isFalse();
	}

	/**
	 * Proposes entries until one is rejected. Returns the number of committed entries.
	 */
	private int proposeUntilRejected() throws Exception {
		int committed = 0;
		ProposalRejectedException rejected = null;
		while (rejected == null) {
			try {
				cluster.propose(small, LARGE + committed).get(20, TimeUnit.SECONDS);
				committed++;
			}
			catch (ExecutionException ex) {
				rejected = (ProposalRejectedException) ex.getCause();
			}
		}
		assertThat(rejected.isDiskFull()).isTrue();
		return committed;
	}

	@Test
	void irreplaceableLeaderStaysAndContinues() throws Exception {
		lead(small);
		cluster.stop(cluster.members().get(2));
		fill();
		int committed = proposeUntilRejected();
		// One of two nodes is not a majority, so another leader would need this node.
		RaftNode node = cluster.node(small);
		assertThat(node.propose(TestCluster.bytes("essential"), null, -1, true)).succeedsWithin(20, TimeUnit.SECONDS);
		Files.delete(filler());
		TestCluster.await().until(() -> isCommitted("again"));
		assertThat(cluster.awaitEqual(committed + 2)).contains("essential", "again");
	}

	@Test
	void nodeWithFullDiskDoesNotStandWhileAnotherCan() throws Exception {
		Member leader = cluster.members().get(1);
		lead(leader);
		boolean led = cluster.machine(small).hasLed();
		fill();
		for (int i = 0; !cluster.node(small).status().diskFull(); i++) {
			cluster.commit(LARGE + i);
		}
		PeerId self = TestCluster.jraft(small).getNodeId().getPeerId();
		TestCluster.await().until(self::isPriorityNotElected);
		Member other = cluster.members().get(2);
		int committed = cluster.texts(leader).size();
		TestCluster.await().until(() -> cluster.texts(other).size() == committed);
		cluster.kill(leader);
		awaitElected(other);
		assertThat(cluster.machine(small).hasLed()).isEqualTo(led);
	}

	/**
	 * Waits until a member is elected. It may not begin its term until other nodes can
	 * store more entries.
	 */
	private void awaitElected(Member member) {
		RaftNode node = cluster.node(member);
		TestCluster.await().until(() -> node.status().role() == Role.LEADER);
	}

	@Test
	void followerLagsAndCatchesUp() throws Exception {
		cluster.commit("first");
		fill();
		for (int i = 1; i < ENTRIES; i++) {
			// On a slow machine, the node could otherwise become the leader.
			lead(cluster.members().get(1));
			cluster.commit(LARGE + i);
		}
		assertThat(cluster.texts(small)).hasSizeLessThan(ENTRIES);
		assertThat(cluster.machine(small).hasFailed()).isFalse();
		Files.delete(filler());
		cluster.awaitEqual(ENTRIES);
		assertThat(cluster.machine(small).hasFailed()).isFalse();
	}

	@Test
	void nodeWithFullDiskVotes() throws Exception {
		lead(cluster.members().get(1));
		fill();
		cluster.kill(cluster.members().get(1));
		cluster.commit("a");
		assertThat(cluster.machine(small).hasFailed()).isFalse();
	}

	@Test
	void nodeThatFillsDiskWhileCatchingUpVotes() throws Exception {
		Member leader = cluster.members().get(1);
		lead(leader);
		cluster.stop(small);
		for (int i = 0; i < ENTRIES; i++) {
			cluster.commit(LARGE + i);
		}
		fill(500_000);
		RaftNode node = cluster.start(small, cluster.members());
		TestCluster.await().until(() -> node.status().diskFull());
		lead(leader);
		cluster.kill(leader);
		awaitElected(cluster.members().get(2));
		// Before this, the new leader cannot commit entries.
		Files.delete(filler());
		cluster.commit("a");
		cluster.awaitEqual(ENTRIES + 1);
	}

	@Test
	void followerInstallsSnapshotOnceSpaceIsFree() throws Exception {
		lead(cluster.members().get(1));
		cluster.stop(small);
		for (int i = 0; i < ENTRIES; i++) {
			cluster.commit(LARGE + i);
		}
		snapshotAll();
		cluster.commit("a");
		// Removes the entries up to the first snapshot.
		snapshotAll();
		fill(700_000);
		RaftNode node = cluster.start(small, cluster.members());
		TestCluster.await().until(() -> node.status().failure() != null);
		assertThat(node.status().role()).isEqualTo(Role.FAILED);
		cluster.commit("b");
		Files.delete(filler());
		cluster.awaitEqual(ENTRIES + 2);
		TestCluster.await().until(() -> node.status().failure() == null);
		assertThat(cluster.restored(small)).isPositive();
		assertThat(cluster.machine(small).hasFailed()).isFalse();
	}

	private static void snapshotAll() throws Exception {
		for (RaftNode node : cluster.running()) {
			node.snapshot().get(20, TimeUnit.SECONDS);
		}
	}

	@Test
	void nodeContinuesWhenSnapshotDoesNotFit() throws Exception {
		cluster.commit("a");
		// A majority commits before the small node has an entry to save.
		cluster.awaitEqual(1);
		fill();
		assertThat(cluster.node(small).snapshot()).failsWithin(20, TimeUnit.SECONDS);
		Files.delete(filler());
		cluster.commit("b");
		cluster.awaitEqual(2);
		TestCluster.await()
			.until(() -> cluster.node(small).snapshot().handle((done, failure) -> failure == null).get());
		assertThat(cluster.machine(small).hasFailed()).isFalse();
	}

	/** The first start fails at another file, depending on the free space. */
	@Test
	void newNodeStartsOrNamesDirectoryAndNextStep() throws Exception {
		Path disk = Files.createDirectories(directory.resolve("new"));
		ClusterOptions options = ClusterOptions
			.of("a", Map.of("a", new NodeAddress("127.0.0.1", TestCluster.newMember().port())), disk.resolve("data"),
					TestNodes.certificate(directory))
			.withInitialState(InitialState.NEW_CLUSTER);
		List<String> failures = new ArrayList<>();
		for (int pages = 1; pages < 20; pages++) {
			assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=" + 4 * pages + 'k', "tmpfs", disk.toString()));
			try (StateStoreBroker broker = StateStoreBroker.builder().cluster(options).start()) {
				assertThat(broker.leadership()).isPresent();
			}
			catch (LogException ex) {
				failures.add(ex.getMessage());
			}
			finally {
				run("umount", disk.toString());
			}
		}
		assertThat(failures).hasSizeGreaterThan(3)
			.allSatisfy((message) -> assertThat(message).contains(options.directory().toString(), "Free space"));
	}

	private void lead(Member member) {
		TestCluster.await().until(() -> {
			Member leader = cluster.leader();
			if (leader.equals(member)) {
				return true;
			}
			cluster.node(leader).transferLeadership(member);
			return false;
		});
	}

	private boolean isCommitted(String text) {
		CompletableFuture<Long> proposal = cluster.propose(cluster.leader(), text);
		return proposal.handle((index, failure) -> failure == null).join();
	}

	private Path filler() {
		return cluster.directory(small).resolve("filler");
	}

	/** Fills the disk except for the given number of bytes. */
	private void fill(int free) throws IOException {
		fill();
		try (RandomAccessFile file = new RandomAccessFile(filler().toFile(), "rw")) {
			file.setLength(file.length() - free);
		}
	}

	/** Writes a file until the disk is full. */
	private void fill() throws IOException {
		try (var output = Files.newOutputStream(filler())) {
			byte[] bytes = new byte[4_096];
			while (true) {
				output.write(bytes);
			}
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageContaining("No space left");
		}
	}

}
