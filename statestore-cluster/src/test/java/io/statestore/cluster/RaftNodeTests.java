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
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

class RaftNodeTests {

	@TempDir
	private Path directory;

	private TestCluster cluster;

	@BeforeEach
	void start() throws Exception {
		this.cluster = new TestCluster(this.directory, 3);
		this.cluster.startAll();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void appliesEntriesInTheSameOrderOnAllNodes() throws Exception {
		Member leader = this.cluster.leader();
		List<CompletableFuture<Long>> proposals = new ArrayList<>();
		List<String> texts = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			texts.add("text " + i);
			proposals.add(this.cluster.propose(leader, "text " + i));
		}
		for (CompletableFuture<Long> proposal : proposals) {
			proposal.get(20, TimeUnit.SECONDS);
		}
		assertThat(this.cluster.awaitEqual(500)).isEqualTo(texts);
	}

	@Test
	void followerRefusesProposalsAndNamesLeader() {
		Member leader = this.cluster.leader();
		this.cluster.awaitFollowers(leader);
		assertThat(this.cluster.propose(this.cluster.follower(), "text")).failsWithin(5, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(NotLeaderException.class, (ex) -> assertThat(ex.leader()).isEqualTo(leader));
	}

	@Test
	void refusesLargeEntry() {
		Member leader = this.cluster.leader();
		String large = "x".repeat(TestCluster.MAX_ENTRY_BYTES + 1);
		assertThatIllegalArgumentException().isThrownBy(() -> this.cluster.propose(leader, large))
			.withMessage("An entry of 49153 bytes exceeds the limit of 49152");
	}

	@Test
	void losesNothingWhenLeaderIsKilledAndComesBack() throws Exception {
		this.cluster.commit("a", "b");
		Member killed = this.cluster.leader();
		this.cluster.kill(killed);
		this.cluster.commit("c", "d");
		this.cluster.start(killed, this.cluster.members());
		assertThat(this.cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
	}

	@Test
	void continuesAfterRestartOfAllNodes() throws Exception {
		this.cluster.commit("a", "b");
		this.cluster.close();
		this.cluster.startAll();
		this.cluster.commit("c");
		assertThat(this.cluster.awaitEqual(3)).containsExactly("a", "b", "c");
	}

	@Test
	void isolatedLeaderCommitsAndReadsNothing() throws Exception {
		this.cluster.commit("a");
		Member isolated = this.cluster.leader();
		this.cluster.isolate(isolated);
		try (CapturedLog log = new CapturedLog(MachineCaller.class, Level.WARN)) {
			CompletableFuture<Long> lost = this.cluster.propose(isolated, "lost");
			CompletableFuture<Long> read = this.cluster.node(isolated).readIndex();
			this.cluster.commit("b");
			assertThat(read).failsWithin(20, TimeUnit.SECONDS);
			assertThat(lost).failsWithin(20, TimeUnit.SECONDS)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(OutcomeUnknownException.class);
			assertThat(log.messages()).anySatisfy(
					(message) -> assertThat(message).startsWith("Node " + isolated).contains("--election-timeout"));
		}
		this.cluster.heal();
		assertThat(this.cluster.awaitEqual(2)).containsExactly("a", "b");
	}

	@Test
	void readIndexOnAnyNodeCoversEarlierCommits() throws Exception {
		this.cluster.commit("a");
		this.cluster.awaitFollowers(this.cluster.leader());
		for (Member member : this.cluster.members()) {
			this.cluster.node(member).readIndex().get(20, TimeUnit.SECONDS);
			assertThat(this.cluster.machine(member).texts()).containsExactly("a");
		}
	}

	@Test
	void transfersLeadership() {
		Member follower = this.cluster.follower();
		this.cluster.node(this.cluster.leader()).transferLeadership(follower);
		await().until(() -> this.cluster.leader().equals(follower));
	}

	@Test
	void logOfEarlierTermConfirmsNothing() throws Exception {
		this.cluster.commit("a");
		RaftNode leader = this.cluster.node(this.cluster.leader());
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
	void lateNodeReceivesSnapshotAndEntriesBehindIt() throws Exception {
		Member late = this.cluster.follower();
		this.cluster.stop(late);
		this.cluster.commit("a", "b");
		Member leader = this.cluster.leader();
		this.cluster.node(leader).snapshot().get(20, TimeUnit.SECONDS);
		this.cluster.commit("c");
		// Removes the entries up to the first snapshot.
		this.cluster.node(leader).snapshot().get(20, TimeUnit.SECONDS);
		this.cluster.commit("d");
		this.cluster.start(late, this.cluster.members());
		assertThat(this.cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
		assertThat(this.cluster.machine(late).restored()).isPositive();
		this.cluster.stop(late);
		this.cluster.start(late, this.cluster.members());
		assertThat(this.cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
	}

	@Test
	void writesSnapshotWhenLogHasGrown() throws Exception {
		this.cluster.close();
		this.cluster.setMinSnapshotLogBytes(1_000);
		this.cluster.startAll();
		for (int i = 0; i < 40; i++) {
			this.cluster.commit("x".repeat(100));
		}
		for (Member member : this.cluster.members()) {
			await().until(() -> this.cluster.node(member).status().snapshotIndex() > 0);
		}
		this.cluster.awaitEqual(40);
		this.cluster.close();
		this.cluster.startAll();
		this.cluster.awaitEqual(40);
		assertThat(this.cluster.machine(this.cluster.leader()).restored()).isPositive();
	}

	@Test
	void logsElectionInOneLineForEachNode() {
		Logger logger = (Logger) LoggerFactory.getLogger("io.statestore.cluster");
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.addAppender(appender);
		logger.setLevel(Level.INFO);
		try {
			Member leader = this.cluster.leader();
			Member next = this.cluster.follower();
			this.cluster.awaitFollowers(leader);
			this.cluster.node(leader).transferLeadership(next);
			await().until(() -> this.cluster.leader().equals(next));
			this.cluster.awaitFollowers(next);
			String term = " in term " + this.cluster.node(next).status().term();
			List<String> expected = this.cluster.members()
				.stream()
				.map((member) -> "Node " + member + (member.equals(next) ? " is the leader" : " follows " + next)
						+ term)
				.toList();
			// Nodes log after their status has changed.
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

	@Test
	void electsLeaderAfterKill() throws Exception {
		this.cluster.close();
		this.cluster.setElectionTimeout(ClusterOptions.ELECTION_TIMEOUT);
		this.cluster.startAll();
		this.cluster.commit("a");
		this.cluster.kill(this.cluster.leader());
		this.cluster.commit("b");
		this.cluster.awaitEqual(2);
	}

}
