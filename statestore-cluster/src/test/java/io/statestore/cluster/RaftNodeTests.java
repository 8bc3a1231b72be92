package io.statestore.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

@Isolated("captures the log")
class RaftNodeTests {

	@TempDir
	private static Path directory;

	private static TestCluster cluster;

	@BeforeAll
	static void start() throws Exception {
		cluster = new TestCluster(directory, 3);
		cluster.startAll();
	}

	@BeforeEach
	void restore() throws Exception {
		cluster.restore();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@Test
	void appliesEntriesInSameOrderOnAllNodes() throws Exception {
		Member leader = cluster.leader();
		List<CompletableFuture<Long>> proposals = new ArrayList<>();
		List<String> texts = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			texts.add("text " + i);
			proposals.add(cluster.propose(leader, "text " + i));
		}
		for (CompletableFuture<Long> proposal : proposals) {
			proposal.get(20, TimeUnit.SECONDS);
		}
		assertThat(cluster.awaitEqual(500)).isEqualTo(texts);
	}

	@Test
	void followerRefusesProposalsAndNamesLeader() {
		Member leader = cluster.leader();
		cluster.awaitFollowers(leader);
		assertThat(cluster.propose(cluster.follower(), "text")).failsWithin(30, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(NotLeaderException.class, (ex) -> assertThat(ex.leader()).isEqualTo(leader));
	}

	@Test
	void refusesLargeEntry() {
		Member leader = cluster.leader();
		String large = "x".repeat(TestCluster.MAX_ENTRY_BYTES + 1);
		assertThatIllegalArgumentException().isThrownBy(() -> cluster.propose(leader, large))
			.withMessage("An entry of 49153 bytes exceeds the limit of 49152");
	}

	@Test
	void losesNothingWhenKilledLeaderReturns() throws Exception {
		cluster.commit("a", "b");
		Member killed = cluster.leader();
		cluster.kill(killed);
		cluster.commit("c", "d");
		cluster.start(killed, cluster.members());
		assertThat(cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
	}

	@Test
	void continuesAfterAllNodesRestart() throws Exception {
		cluster.commit("a", "b");
		cluster.close();
		cluster.startAll();
		cluster.commit("c");
		assertThat(cluster.awaitEqual(3)).containsExactly("a", "b", "c");
	}

	@Test
	void isolatedLeaderCommitsAndReadsNothing() throws Exception {
		cluster.commit("a");
		Member isolated = cluster.leader();
		cluster.isolate(isolated);
		CompletableFuture<Long> lost = cluster.propose(isolated, "lost");
		CompletableFuture<Long> read = cluster.node(isolated).readIndex();
		cluster.elect();
		cluster.commit("b");
		cluster.heal();
		assertThat(read).failsWithin(60, TimeUnit.SECONDS);
		assertThat(lost).failsWithin(60, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(OutcomeUnknownException.class);
		assertThat(cluster.awaitEqual(2)).containsExactly("a", "b");
	}

	@Test
	void readIndexOnAnyNodeCoversEarlierCommits() throws Exception {
		cluster.commit("a");
		cluster.awaitFollowers(cluster.leader());
		for (Member member : cluster.members()) {
			cluster.node(member).readIndex().get(20, TimeUnit.SECONDS);
			assertThat(cluster.texts(member)).containsExactly("a");
		}
	}

	@Test
	void transfersLeadership() {
		Member follower = cluster.follower();
		cluster.node(cluster.leader()).transferLeadership(follower);
		await().until(() -> cluster.leader().equals(follower));
	}

	@Test
	void logFromEarlierTermConfirmsNothing() throws Exception {
		cluster.commit("a");
		RaftNode leader = cluster.node(cluster.leader());
		long term = leader.status().term();
		assertThat(confirms(leader, term)).isTrue();
		assertThat(confirms(leader, term - 1)).isFalse();
	}

	private static boolean confirms(RaftNode node, long term) throws Exception {
		CompletableFuture<Boolean> confirmed = new CompletableFuture<>();
		new TermLog(() -> node, term, TestCluster.MAX_ENTRY_BYTES).confirm(confirmed::complete);
		return confirmed.get(20, TimeUnit.SECONDS);
	}

	@Test
	void lateNodeReceivesSnapshotAndLaterEntries() throws Exception {
		Member late = cluster.follower();
		cluster.stop(late);
		cluster.commit("a", "b");
		Member leader = cluster.leader();
		cluster.node(leader).snapshot().get(20, TimeUnit.SECONDS);
		cluster.commit("c");
		// Removes the entries up to the first snapshot.
		cluster.node(leader).snapshot().get(20, TimeUnit.SECONDS);
		cluster.commit("d");
		cluster.start(late, cluster.members());
		assertThat(cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
		assertThat(cluster.restored(late)).isPositive();
		cluster.stop(late);
		cluster.start(late, cluster.members());
		assertThat(cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
	}

	@Test
	void writesSnapshotWhenLogHasGrown() throws Exception {
		Member follower = cluster.follower();
		cluster.stop(follower);
		cluster.setMinSnapshotLogBytes(1_000);
		cluster.start(follower, NodeStart.existing());
		cluster.setMinSnapshotLogBytes(TestCluster.MIN_SNAPSHOT_LOG_BYTES);
		long before = cluster.node(cluster.leader()).status().lastIndex();
		int count = 0;
		while (cluster.node(follower).status().snapshotIndex() <= before) {
			cluster.commit("x".repeat(100));
			count++;
		}
		cluster.stop(follower);
		cluster.start(follower, NodeStart.existing());
		cluster.awaitEqual(count);
		assertThat(cluster.restored(follower)).isPositive();
	}

	@Test
	void logsElectionInOneLinePerNode() {
		Logger logger = (Logger) LoggerFactory.getLogger("io.statestore.cluster");
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.addAppender(appender);
		logger.setLevel(Level.INFO);
		try {
			Member leader = cluster.leader();
			Member next = cluster.follower();
			cluster.awaitFollowers(leader);
			cluster.node(leader).transferLeadership(next);
			await().until(() -> cluster.leader().equals(next));
			cluster.awaitFollowers(next);
			String term = " in term " + cluster.node(next).status().term();
			List<String> expected = cluster.members()
				.stream()
				.map((member) -> "Node " + member + (member.equals(next) ? " is the leader" : " follows " + next)
						+ term)
				.toList();
			// Nodes log only after their status has changed.
			await().ignoreExceptions()
				.untilAsserted(() -> assertThat(appender.list).extracting(ILoggingEvent::getFormattedMessage)
					.contains("Node " + leader + " is no longer the leader")
					.filteredOn((message) -> message.endsWith(term))
					.containsExactlyInAnyOrderElementsOf(expected));
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(appender);
		}
	}

}
