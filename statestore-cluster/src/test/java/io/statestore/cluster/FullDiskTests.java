package io.statestore.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.entity.PeerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A node whose disk is full: JRaft must not notice, because it would end the node. Needs
 * root, to mount a file system of a few megabytes.
 */
class FullDiskTests {

	private static final String LARGE = "x".repeat(20_000);

	@TempDir
	private Path directory;

	private TestCluster cluster;

	private Member small;

	@BeforeEach
	void start() throws Exception {
		this.cluster = new TestCluster(this.directory, 3);
		this.small = this.cluster.members().get(0);
		Path disk = Files.createDirectories(this.cluster.directory(this.small));
		assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk.toString()), "Cannot mount");
		this.cluster.startAll();
	}

	@AfterEach
	void stop() throws Exception {
		this.cluster.close();
		run("umount", this.cluster.directory(this.small).toString());
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
		lead(this.small);
		fill();
		int committed = proposeUntilRejected();
		TestCluster.await().until(() -> !this.cluster.leader().equals(this.small));
		this.cluster.commit("on another leader");
		Files.delete(filler());
		assertThat(this.cluster.awaitEqual(committed + 1).get(committed)).isEqualTo("on another leader");
		assertThat(this.cluster.machine(this.small).hasFailed()).isFalse();
	}

	/** Returns the number of entries that were committed. */
	private int proposeUntilRejected() throws Exception {
		int committed = 0;
		ProposalRejectedException rejected = null;
		while (rejected == null) {
			try {
				this.cluster.propose(this.small, LARGE + committed).get(20, TimeUnit.SECONDS);
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
	void leaderThatCannotBeReplacedStaysAndContinues() throws Exception {
		lead(this.small);
		this.cluster.stop(this.cluster.members().get(2));
		fill();
		int committed = proposeUntilRejected();
		// One of two nodes is no majority, so another leader can reach this one only.
		RaftNode node = this.cluster.node(this.small);
		assertThat(node.propose(TestCluster.bytes("essential"), null, -1, true)).succeedsWithin(20, TimeUnit.SECONDS);
		Files.delete(filler());
		TestCluster.await().until(() -> isCommitted("again"));
		assertThat(this.cluster.awaitEqual(committed + 2)).contains("essential", "again");
	}

	@Test
	void nodeWithFullDiskDoesNotStandWhileAnotherCan() throws Exception {
		Member leader = this.cluster.members().get(1);
		lead(leader);
		boolean led = this.cluster.machine(this.small).hasLed();
		fill();
		for (int i = 0; !this.cluster.node(this.small).status().diskFull(); i++) {
			this.cluster.commit(LARGE + i);
		}
		PeerId self = NodeManager.getInstance().get(TestCluster.NAME, this.small.peer()).getNodeId().getPeerId();
		TestCluster.await().until(self::isPriorityNotElected);
		Member other = this.cluster.members().get(2);
		int committed = this.cluster.machine(leader).texts().size();
		TestCluster.await().until(() -> this.cluster.machine(other).texts().size() == committed);
		this.cluster.kill(leader);
		awaitElected(other);
		assertThat(this.cluster.machine(this.small).hasLed()).isEqualTo(led);
	}

	/** Waits for a leader, which may need more entries on other nodes to begin. */
	private void awaitElected(Member member) {
		RaftNode node = this.cluster.node(member);
		TestCluster.await().until(() -> node.status().role() == NodeStatus.Role.LEADER);
	}

	@Test
	void followerLagsAndCatchesUp() throws Exception {
		this.cluster.commit("first");
		fill();
		for (int i = 1; i < 60; i++) {
			// The node must not lead, if the machine is slow.
			lead(this.cluster.members().get(1));
			this.cluster.commit(LARGE + i);
		}
		assertThat(this.cluster.machine(this.small).texts()).hasSizeLessThan(60);
		assertThat(this.cluster.machine(this.small).hasFailed()).isFalse();
		Files.delete(filler());
		this.cluster.awaitEqual(60);
		assertThat(this.cluster.machine(this.small).hasFailed()).isFalse();
	}

	@Test
	void nodeWithFullDiskVotes() throws Exception {
		lead(this.cluster.members().get(1));
		fill();
		this.cluster.kill(this.cluster.members().get(1));
		this.cluster.commit("a");
		assertThat(this.cluster.machine(this.small).hasFailed()).isFalse();
	}

	@Test
	void nodeThatFillsItsDiskWhileItCatchesUpVotes() throws Exception {
		Member leader = this.cluster.members().get(1);
		lead(leader);
		this.cluster.stop(this.small);
		for (int i = 0; i < 60; i++) {
			this.cluster.commit(LARGE + i);
		}
		fill(500_000);
		RaftNode node = this.cluster.start(this.small, this.cluster.members());
		TestCluster.await().until(() -> node.status().diskFull());
		lead(leader);
		this.cluster.kill(leader);
		awaitElected(this.cluster.members().get(2));
		// The new leader can commit nothing before.
		Files.delete(filler());
		this.cluster.commit("a");
		this.cluster.awaitEqual(61);
	}

	@Test
	void followerInstallsSnapshotOnceThereIsSpace() throws Exception {
		lead(this.cluster.members().get(1));
		this.cluster.stop(this.small);
		for (int i = 0; i < 60; i++) {
			this.cluster.commit(LARGE + i);
		}
		this.cluster.node(this.cluster.leader()).snapshot().get(20, TimeUnit.SECONDS);
		this.cluster.commit("a");
		// Removes the entries up to the first snapshot.
		this.cluster.node(this.cluster.leader()).snapshot().get(20, TimeUnit.SECONDS);
		fill(700_000);
		RaftNode node = this.cluster.start(this.small, this.cluster.members());
		TestCluster.await().until(() -> node.status().failure() != null);
		assertThat(node.status().role()).isEqualTo(NodeStatus.Role.FAILED);
		this.cluster.commit("b");
		Files.delete(filler());
		this.cluster.awaitEqual(62);
		TestCluster.await().until(() -> node.status().failure() == null);
		assertThat(this.cluster.machine(this.small).restored()).isPositive();
		assertThat(this.cluster.machine(this.small).hasFailed()).isFalse();
	}

	@Test
	void nodeContinuesWhenSnapshotDoesNotFit() throws Exception {
		this.cluster.commit("a");
		// A majority commits before the small node has an entry to save.
		this.cluster.awaitEqual(1);
		fill();
		assertThat(this.cluster.node(this.small).snapshot()).failsWithin(20, TimeUnit.SECONDS);
		Files.delete(filler());
		this.cluster.commit("b");
		this.cluster.awaitEqual(2);
		TestCluster.await()
			.until(() -> this.cluster.node(this.small).snapshot().handle((done, failure) -> failure == null).get());
		assertThat(this.cluster.machine(this.small).hasFailed()).isFalse();
	}

	private void lead(Member member) {
		TestCluster.await().until(() -> {
			Member leader = this.cluster.leader();
			if (leader.equals(member)) {
				return true;
			}
			this.cluster.node(leader).transferLeadership(member);
			return false;
		});
	}

	private boolean isCommitted(String text) {
		CompletableFuture<Long> proposal = this.cluster.propose(this.cluster.leader(), text);
		return proposal.handle((index, failure) -> failure == null).join();
	}

	private Path filler() {
		return this.cluster.directory(this.small).resolve("filler");
	}

	/** Leaves this many bytes on the disk. */
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
