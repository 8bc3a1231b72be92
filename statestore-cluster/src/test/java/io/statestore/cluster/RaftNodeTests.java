package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
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
		assertThat(this.cluster.propose(this.cluster.follower(), "text")).failsWithin(5, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(NotLeaderException.class, (ex) -> assertThat(ex.leader()).isEqualTo(leader));
	}

	@Test
	void refusesLargeEntry() {
		Member leader = this.cluster.leader();
		assertThatIllegalArgumentException().isThrownBy(() -> this.cluster.propose(leader, "x".repeat(65_537)))
			.withMessage("An entry of 65537 bytes exceeds the limit of 65536");
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
		CompletableFuture<Long> lost = this.cluster.propose(isolated, "lost");
		CompletableFuture<Long> read = this.cluster.node(isolated).readIndex();
		this.cluster.commit("b");
		assertThat(read).failsWithin(20, TimeUnit.SECONDS);
		assertThat(lost).failsWithin(20, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(OutcomeUnknownException.class);
		this.cluster.heal();
		assertThat(this.cluster.awaitEqual(2)).containsExactly("a", "b");
	}

	@Test
	void readIndexOnAnyNodeCoversEarlierCommits() throws Exception {
		this.cluster.commit("a");
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
	void replacesMember() throws Exception {
		this.cluster.commit("a");
		Member removed = this.cluster.follower();
		Member added = TestCluster.newMember();
		this.cluster.start(added, List.of());
		List<Member> members = new ArrayList<>(this.cluster.members());
		members.set(members.indexOf(removed), added);
		this.cluster.node(this.cluster.leader()).changeMembers(members).get(20, TimeUnit.SECONDS);
		assertThat(this.cluster.node(this.cluster.leader()).members()).containsExactlyInAnyOrderElementsOf(members);
		this.cluster.stop(removed);
		this.cluster.commit("b");
		assertThat(this.cluster.awaitEqual(2)).containsExactly("a", "b");
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
	void refusesDirectoryWithoutVote() throws Exception {
		Member follower = this.cluster.follower();
		this.cluster.stop(follower);
		Path vote = this.cluster.directory(follower).resolve("vote");
		Files.delete(vote);
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.cluster.start(follower, this.cluster.members()))
			.withMessageContaining(vote.toString());
	}

}
