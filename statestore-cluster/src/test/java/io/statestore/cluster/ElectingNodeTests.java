package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.google.protobuf.Message;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.statestore.cluster.TestCluster.jraft;
import static org.assertj.core.api.Assertions.assertThat;

class ElectingNodeTests {

	/**
	 * Longer than the tests wait for a leader, so that JRaft's own election comes too
	 * late.
	 */
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
	void electsWithoutTimeoutWhenLeaderProcessHasEnded() throws Exception {
		cluster.commit("a");
		long term = term();
		Member leader = cluster.leader();
		cluster.kill(leader);
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
	void agreesOnlyIfItSawLeaderProcessEnd() throws Exception {
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
		jraft(voter).ended(candidate.endpoint());
		assertThat(agrees(voter, candidate, term, last)).isFalse();
		jraft(voter).ended(leader.endpoint());
		assertThat(agrees(voter, candidate, term, new LogId(last.getIndex() - 1, term))).isFalse();
		assertThat(agrees(voter, candidate, term - 1, last)).isFalse();
		assertThat(agrees(voter, candidate, term, last)).isTrue();
		assertThat(cluster.leader()).isEqualTo(leader);
		assertThat(term()).isEqualTo(term);
	}

	@Test
	void stopsAgreeingAfterElectionTimeout() throws Exception {
		cluster.commit("a");
		cluster.awaitEqual(1);
		long term = term();
		Member leader = cluster.leader();
		List<Member> followers = cluster.members().stream().filter((member) -> !member.equals(leader)).toList();
		LogId last = new LogId(cluster.node(leader).status().lastIndex(), term);
		ElectingNode voter = jraft(followers.get(0));
		voter.ended(leader.endpoint(), System.nanoTime() - ELECTION_TIMEOUT.toNanos());
		assertThat(agrees(followers.get(0), followers.get(1), term, last)).isFalse();
		voter.ended(leader.endpoint());
		assertThat(agrees(followers.get(0), followers.get(1), term, last)).isTrue();
	}

	@Test
	void failedNodeDoesNotAgree(@TempDir Path other) throws Exception {
		try (TestCluster failing = new TestCluster(other, 3)) {
			failing.setElectionTimeout(ELECTION_TIMEOUT);
			failing.startAll();
			failing.commit("a");
			failing.awaitEqual(1);
			Member leader = failing.leader();
			long term = failing.node(leader).status().term();
			List<Member> followers = failing.members().stream().filter((member) -> !member.equals(leader)).toList();
			ElectingNode voter = jraft(followers.get(0));
			voter.ended(leader.endpoint());
			voter.onError(new RaftException(ErrorType.ERROR_TYPE_LOG, RaftError.EIO, "for a test"));
			LogId last = new LogId(failing.node(leader).status().lastIndex(), term);
			assertThat(agrees(followers.get(0), followers.get(1), term, last)).isFalse();
		}
	}

	/** The member's disk delays the other node's requests. */
	@Test
	void votesForMemberAlreadyStanding() throws Exception {
		cluster.commit("a");
		cluster.awaitEqual(1);
		long term = term();
		Member leader = cluster.leader();
		List<Member> followers = cluster.members().stream().filter((member) -> !member.equals(leader)).toList();
		Member candidate = followers.get(0);
		Member voter = followers.get(1);
		LogId last = new LogId(cluster.node(candidate).status().lastIndex(), term);
		cluster.isolate(candidate);
		cluster.kill(leader);
		jraft(candidate).handleTimeoutNowRequest(TimeoutNowRequest.newBuilder()
			.setGroupId(TestCluster.NAME)
			.setServerId(leader.peer().toString())
			.setPeerId(candidate.peer().toString())
			.setTerm(term)
			.build(), new RpcRequestClosure(null) {
				@Override
				public void sendResponse(Message response) {
					// The test does not wait for the response.
				}
			});
		cluster.heal();
		// The voter asks the candidate several times.
		Thread.sleep(1_000);
		Message vote = jraft(voter).handleRequestVoteRequest(request(voter, candidate, term, last, false));
		assertThat(((RequestVoteResponse) vote).getGranted()).isTrue();
	}

	private static boolean agrees(Member voter, Member candidate, long term, LogId last) {
		return jraft(voter)
			.handlePreVoteRequest(request(voter, candidate, term, last, true)) instanceof RequestVoteResponse response
				&& response.getGranted();
	}

	private static RequestVoteRequest request(Member voter, Member candidate, long term, LogId last,
			boolean preliminary) {
		return RequestVoteRequest.newBuilder()
			.setPreVote(preliminary)
			.setGroupId(TestCluster.NAME)
			.setServerId(candidate.peer().toString())
			.setPeerId(voter.peer().toString())
			.setTerm(term + 1)
			.setLastLogIndex(last.getIndex())
			.setLastLogTerm(last.getTerm())
			.build();
	}

	private static long term() {
		return cluster.node(cluster.leader()).status().term();
	}

}
