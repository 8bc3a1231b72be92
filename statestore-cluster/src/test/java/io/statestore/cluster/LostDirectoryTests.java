package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.broker.log.LogException;
import io.statestore.broker.log.TwinFile;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests a node that has lost its directory and is started as a node of a new cluster. */
@Timeout(120)
@Isolated("captures the log")
class LostDirectoryTests {

	@TempDir
	private Path directory;

	@Test
	void nodeWithLostDirectoryTakesNoPart() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3);
				CapturedLog log = new CapturedLog("io.statestore.cluster.transport", Level.WARN)) {
			cluster.startAll();
			cluster.commit("a");
			TestCluster.await().until(() -> cluster.members().stream().allMatch((member) -> knows(cluster, member, 2)));
			Member lost = cluster.follower();
			cluster.stop(lost);
			NodeSeed.deleteAll(cluster.directory(lost));
			cluster.start(lost, NodeStart.newCluster(cluster.members()));
			TestCluster.await()
				.until(() -> log.messages().stream().anyMatch((message) -> message.contains("data is lost"))
						&& log.messages().stream().anyMatch((message) -> message.contains("has lost its data")));
			cluster.commit("b");
			assertThat(cluster.machine(lost).texts()).isEmpty();
			assertThat(cluster.node(lost).leader()).isNull();
		}
	}

	@Test
	void emptyMajorityServesNothingWhileThirdHasData() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3)) {
			List<Member> lost = loseMajority(cluster);
			Member third = cluster.members().get(2);
			for (Member member : lost) {
				cluster.start(member, NodeStart.newCluster(cluster.members()));
			}
			TestCluster.await().until(() -> lost.stream().allMatch((member) -> cluster.machine(member).hasFailed()));
			assertThat(lost).allSatisfy((member) -> {
				assertThat(cluster.machine(member).hasLed()).isFalse();
				assertThat(cluster.node(member).status().failure()).contains(third.toString(), "--join", "backup");
			});
			assertThat(cluster.machine(third).texts()).containsExactly("a");
		}
	}

	@Test
	void emptyMajorityWaitsForThirdAndEnds() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3)) {
			List<Member> lost = loseMajority(cluster);
			Member third = cluster.members().get(2);
			cluster.stop(third);
			for (Member member : lost) {
				cluster.start(member, NodeStart.newCluster(cluster.members()));
			}
			TestCluster.await().until(() -> lost.stream().allMatch((member) -> knows(cluster, member, 1)));
			assertThat(lost).allSatisfy((member) -> assertThat(cluster.node(member).leader()).isNull());
			cluster.start(third, NodeStart.existing());
			TestCluster.await().until(() -> lost.stream().allMatch((member) -> cluster.machine(member).hasFailed()));
			assertThat(lost).noneMatch((member) -> cluster.machine(member).hasLed());
		}
	}

	/** Unlike in most tests, the first election begins by itself. */
	@Test
	void newClusterStartsOnceAllNodesHaveConnected() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3)) {
			cluster.setElectionTimeout(Duration.ofSeconds(1));
			Member late = cluster.members().get(2);
			cluster.start(cluster.members().get(0), cluster.members());
			cluster.start(cluster.members().get(1), cluster.members());
			TestCluster.await()
				.until(() -> cluster.members().subList(0, 2).stream().allMatch((member) -> knows(cluster, member, 1)));
			assertThat(cluster.running()).allSatisfy((node) -> assertThat(node.leader()).isNull());
			cluster.start(late, cluster.members());
			cluster.commit("a");
			assertThat(cluster.awaitEqual(1)).containsExactly("a");
		}
	}

	/** Commits an entry, and deletes the first two nodes' directories. */
	private static List<Member> loseMajority(TestCluster cluster) throws Exception {
		cluster.startAll();
		cluster.commit("a");
		cluster.awaitEqual(1);
		List<Member> lost = List.copyOf(cluster.members().subList(0, 2));
		for (Member member : lost) {
			cluster.stop(member);
			NodeSeed.deleteAll(cluster.directory(member));
		}
		return lost;
	}

	/**
	 * Returns whether a node has recorded the given number of other nodes' directories.
	 */
	private static boolean knows(TestCluster cluster, Member member, int others) {
		try (TwinFile file = TwinFile.open(cluster.directory(member).resolve("node"))) {
			NodeIdentity identity = NodeIdentity.decode(file.content());
			return identity != null && cluster.members()
				.stream()
				.filter((other) -> identity.directoryOf(other.toString()) != null)
				.count() == others;
		}
		catch (IOException | LogException ex) {
			// The file is being written.
			return false;
		}
	}

}
