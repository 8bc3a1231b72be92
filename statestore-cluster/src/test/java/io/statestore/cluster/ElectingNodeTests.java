package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ElectingNodeTests {

	/** Longer than the tests wait for a leader. */
	private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(60);

	@TempDir
	private static Path directory;

	private static TestCluster cluster;

	@BeforeAll
	static void start() throws Exception {
		cluster = new TestCluster(directory, 3);
		cluster.setElectionTimeout(ELECTION_TIMEOUT);
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
	void electsWithoutTimeoutWhenProcessOfLeaderHasEnded() throws Exception {
		cluster.commit("a");
		long term = term();
		Member leader = cluster.leader();
		cluster.kill(leader);
		cluster.members()
			.stream()
			.filter(cluster::isRunning)
			.forEach((member) -> node(member).ended(leader.endpoint()));
		assertThat(cluster.leader()).isNotEqualTo(leader);
		assertThat(term()).isEqualTo(term + 1);
		cluster.commit("b");
		assertThat(cluster.awaitEqual(2)).containsExactly("a", "b");
	}

	@Test
	void keepsLeaderWhenFollowerRestarts() throws Exception {
		long term = term();
		Member leader = cluster.leader();
		Member follower = cluster.follower();
		cluster.kill(follower);
		cluster.commit("a");
		cluster.start(follower, cluster.members());
		cluster.commit("b");
		assertThat(cluster.awaitEqual(2)).containsExactly("a", "b");
		assertThat(cluster.leader()).isEqualTo(leader);
		assertThat(term()).isEqualTo(term);
	}

	@Test
	void agreesOnlyIfProcessOfLeaderHasEndedForItself() throws Exception {
		cluster.commit("a");
		cluster.awaitEqual(1);
		long term = term();
		Member leader = cluster.leader();
		Member candidate = cluster.follower();
		Member voter = cluster.members()
			.stream()
			.filter((member) -> !member.equals(leader) && !member.equals(candidate))
			.findFirst()
			.orElseThrow();
		LogId last = new LogId(cluster.node(candidate).status().lastIndex(), term);
		assertThat(agrees(voter, candidate, term, last)).isFalse();
		node(voter).ended(candidate.endpoint());
		assertThat(agrees(voter, candidate, term, last)).isFalse();
		node(voter).ended(leader.endpoint());
		assertThat(agrees(voter, candidate, term, new LogId(last.getIndex() - 1, term))).isFalse();
		assertThat(agrees(voter, candidate, term - 1, last)).isFalse();
		assertThat(agrees(voter, candidate, term, last)).isTrue();
		assertThat(cluster.leader()).isEqualTo(leader);
		assertThat(term()).isEqualTo(term);
	}

	private static boolean agrees(Member voter, Member candidate, long term, LogId last) {
		return node(voter).handlePreVoteRequest(RequestVoteRequest.newBuilder()
			.setPreVote(true)
			.setGroupId(TestCluster.NAME)
			.setServerId(candidate.peer().toString())
			.setPeerId(voter.peer().toString())
			.setTerm(term + 1)
			.setLastLogIndex(last.getIndex())
			.setLastLogTerm(last.getTerm())
			.build()) instanceof RequestVoteResponse response && response.getGranted();
	}

	private static ElectingNode node(Member member) {
		return (ElectingNode) NodeManager.getInstance().get(TestCluster.NAME, member.peer());
	}

	private static long term() {
		return cluster.node(cluster.leader()).status().term();
	}

}
