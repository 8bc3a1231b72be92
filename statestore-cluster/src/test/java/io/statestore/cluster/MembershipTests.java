package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.log.StoreDirectoryException;
import io.statestore.broker.storage.Fsync;
import io.statestore.cluster.NodeStatus.MemberStatus;
import io.statestore.cluster.storage.RaftLog;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.test.CapturedLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static io.statestore.cluster.TestCluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Isolated("captures the log")
class MembershipTests {

	/** Shared by all tests that do not change its members and files. */
	private static @Nullable TestCluster shared;

	@TempDir
	private static Path directory;

	private TestCluster cluster;

	@BeforeEach
	void start() throws Exception {
		TestCluster existing = shared;
		if (existing != null) {
			this.cluster = existing;
			this.cluster.restore();
		}
		else {
			this.cluster = new TestCluster(Files.createTempDirectory(directory, "cluster"), 3);
			shared = this.cluster;
			this.cluster.startAll();
		}
		this.cluster.commit("a");
	}

	/** Prevents other tests from using the cluster. */
	private void abandon() {
		shared = null;
	}

	@AfterEach
	void closeAbandoned() {
		if (shared == null) {
			this.cluster.close();
		}
	}

	@AfterAll
	static void stop() {
		if (shared != null) {
			shared.close();
		}
	}

	private static void deleteRecursively(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	private RaftNode leader() {
		return this.cluster.node(this.cluster.leader());
	}

	private List<Member> members() {
		return leader().status().members().stream().map(MemberStatus::member).toList();
	}

	@Test
	void addsMemberThatReceivesEarlierEntries() throws Exception {
		abandon();
		Member added = TestCluster.newMember();
		this.cluster.start(added, NodeStart.join());
		assertThat(this.cluster.node(added).status().role()).isEqualTo(Role.NO_MEMBER);
		Member numbered = this.cluster.node(added).status().node();
		leader().addMember(numbered).get(20, TimeUnit.SECONDS);
		assertThat(members()).hasSize(4).contains(numbered);
		assertThat(this.cluster.awaitEqual(1)).containsExactly("a");
		await().until(() -> this.cluster.node(added).status().role() == Role.FOLLOWER);
	}

	@Test
	void refusesToAddUnreachableMember() throws Exception {
		Member absent = TestCluster.newMember();
		assertThat(leader().addMember(absent)).failsWithin(30, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(IOException.class)
			.withMessageStartingWith("Cannot add " + absent + ". Check that the new node runs");
		assertThat(members()).hasSize(3);
	}

	@Test
	void replacesMember() throws Exception {
		abandon();
		Member removed = this.cluster.follower();
		Member added = TestCluster.newMember();
		Member numbered = this.cluster.start(added, NodeStart.join()).status().node();
		leader().replaceMember(removed, numbered).get(20, TimeUnit.SECONDS);
		assertThat(members()).hasSize(3).contains(numbered).doesNotContain(removed);
		this.cluster.stop(removed);
		this.cluster.commit("b");
		assertThat(this.cluster.awaitEqual(2)).containsExactly("a", "b");
		this.cluster.stop(added);
		RaftLog log = new RaftLog(this.cluster.directory(added).resolve("raft"),
				new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), 64 << 10).indexed(new SpareSpace(256 << 10)),
				UUID.randomUUID());
		assertThat(LongStream.rangeClosed(log.getFirstLogIndex(), log.getLastLogIndex()).mapToObj(log::getEntry))
			.as("changes of one member each")
			.allMatch((entry) -> entry.getOldPeers() == null || entry.getOldPeers().size() != entry.getPeers().size());
		log.close();
	}

	@Test
	void nodeThatLostItsDirectoryIsNewMember() throws Exception {
		abandon();
		List<Member> members = new ArrayList<>(this.cluster.members());
		Member leader = this.cluster.leader();
		members.remove(leader);
		Member lost = members.get(0);
		this.cluster.stop(lost);
		deleteRecursively(this.cluster.directory(lost));
		assertThatExceptionOfType(StoreDirectoryException.class)
			.isThrownBy(() -> this.cluster.start(lost, NodeStart.existing()))
			.withMessageContaining("has no data");
		Member joined = this.cluster.start(lost, NodeStart.join()).status().node();
		assertThat(joined).isNotEqualTo(lost).isEqualTo(lost.withNumber(joined.number()));
		// Without the other node, the leader does not have a majority, because the new
		// node is not a member.
		this.cluster.stop(members.get(1));
		await().until(() -> !this.cluster.node(leader).isLeading());
		assertThat(this.cluster.node(lost).status().lastIndex()).isZero();
		this.cluster.start(members.get(1), NodeStart.existing());
		leader().replaceMember(lost, joined).get(20, TimeUnit.SECONDS);
		this.cluster.commit("b");
		assertThat(this.cluster.awaitEqual(2)).containsExactly("a", "b");
		this.cluster.stop(lost);
		Member same = this.cluster.start(lost, NodeStart.join()).status().node();
		assertThat(same).isEqualTo(joined);
		this.cluster.stop(members.get(1));
		this.cluster.commit("c");
		assertThat(this.cluster.awaitEqual(3)).containsExactly("a", "b", "c");
	}

	@Test
	void removedMemberNoLongerStands() throws Exception {
		abandon();
		Member removed = this.cluster.follower();
		leader().removeMember(removed).get(20, TimeUnit.SECONDS);
		assertThat(members()).hasSize(2).doesNotContain(removed);
		this.cluster.commit("b");
		awaitRemoval(removed);
		this.cluster.stop(removed);
		try (CapturedLog log = new CapturedLog(NodeDirectory.class, Level.WARN)) {
			this.cluster.start(removed, NodeStart.existing());
			await().until(() -> log.messages().stream().anyMatch((message) -> message.contains("was removed")));
			assertThat(log.messages()).allMatch((message) -> message.contains(removed.toString()))
				.anyMatch((message) -> message.contains("--join"));
		}
		this.cluster.commit("c");
		assertThat(this.cluster.node(removed).status().role()).isEqualTo(Role.NO_MEMBER);
	}

	/**
	 * Waits until a member knows that it was removed. If the leader stops sending before
	 * the member has received the removal, adds and removes the member once more.
	 */
	private void awaitRemoval(Member removed) {
		await().until(() -> {
			for (int i = 0; i < 100; i++) {
				if (this.cluster.node(removed).status().role() == Role.NO_MEMBER) {
					return true;
				}
				Thread.sleep(20);
			}
			leader().addMember(removed).get(20, TimeUnit.SECONDS);
			leader().removeMember(removed).get(20, TimeUnit.SECONDS);
			return false;
		});
	}

	@Test
	void leaderTransfersLeadershipBeforeItsRemoval() throws Exception {
		abandon();
		Member removed = this.cluster.leader();
		assertNotLeader(leader().removeMember(removed));
		await().until(() -> !this.cluster.leader().equals(removed));
		leader().removeMember(removed).get(20, TimeUnit.SECONDS);
		assertThat(members()).hasSize(2).doesNotContain(removed);
	}

	@Test
	void refusesToRemoveUnknownMember() throws Exception {
		Member unknown = TestCluster.newMember();
		assertThat(leader().removeMember(unknown)).failsWithin(20, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(IllegalArgumentException.class)
			.withMessageStartingWith("Node " + unknown + " is not a member. The members are ");
	}

	@Test
	void followerRefusesChanges() {
		RaftNode follower = this.cluster.node(this.cluster.follower());
		assertNotLeader(follower.removeMember(this.cluster.members().get(0)));
		assertNotLeader(follower.addMember(this.cluster.members().get(0)));
		assertNotLeader(follower.replaceMember(this.cluster.members().get(0), this.cluster.members().get(1)));
	}

	private static void assertNotLeader(CompletableFuture<Void> change) {
		assertThat(change).failsWithin(20, TimeUnit.SECONDS)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(NotLeaderException.class);
	}

	@Test
	void leaderReportsLagOfStoppedMember() throws Exception {
		Member stopped = this.cluster.follower();
		Member leader = this.cluster.leader();
		await().untilAsserted(() -> assertThat(this.cluster.node(leader).status().members())
			.allSatisfy((member) -> assertThat(member.lag()).isZero()));
		this.cluster.stop(stopped);
		this.cluster.commit("b", "c");
		NodeStatus status = this.cluster.node(leader).status();
		assertThat(status.role()).isEqualTo(Role.LEADER);
		assertThat(status.leader()).isEqualTo(leader);
		assertThat(status.term()).isPositive();
		assertThat(status.lastIndex()).isEqualTo(status.committedIndex()).isEqualTo(status.appliedIndex());
		List<MemberStatus> others = new ArrayList<>(status.members());
		others.removeIf((member) -> !member.member().equals(stopped));
		assertThat(others).hasSize(1).allSatisfy((member) -> {
			assertThat(member.voter()).isTrue();
			assertThat(member.lag()).isEqualTo(2);
			assertThat(member.matchIndex()).isEqualTo(status.lastIndex() - 2);
			assertThat(member.lastContact()).isPositive();
		});
	}

	@Test
	void followerReportsLeader() {
		Member leader = this.cluster.leader();
		Member follower = this.cluster.follower();
		// A majority may commit before every node has heard from the leader.
		this.cluster.awaitFollowers(leader);
		NodeStatus status = this.cluster.node(follower).status();
		assertThat(status.role()).isEqualTo(Role.FOLLOWER);
		assertThat(status.leader()).isEqualTo(leader);
		assertThat(status.members()).hasSize(3).allSatisfy((member) -> assertThat(member.lastContact()).isNull());
	}

}
