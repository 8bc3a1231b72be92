package io.statestore.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import io.statestore.protocol.ClusterNodeState.Role;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.statestore.cluster.TestCluster.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests JRaft nodes that end, which they do at the first disk error. */
class RecoveryTests {

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

	/** Ends a node as JRaft does when it cannot write. */
	private static void end(Member member) {
		TestCluster.jraft(member)
			.onError(new RaftException(ErrorType.ERROR_TYPE_LOG, RaftError.EIO, "The disk is broken"));
	}

	@Test
	void restartedLeaderAppliesEachEntryOnce() throws Exception {
		Member ended = this.cluster.leader();
		List<CompletableFuture<Long>> proposals = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			proposals.add(this.cluster.propose(ended, "text " + i));
		}
		end(ended);
		NodeStatus status = this.cluster.node(ended).status();
		assertThat(proposals).allSatisfy((proposal) -> assertThat(proposal.handle((index, failure) -> failure == null))
			.succeedsWithin(20, TimeUnit.SECONDS));
		await().until(() -> !this.cluster.leader().equals(ended));
		await().until(() -> this.cluster.node(ended).status().failure() == null
				&& this.cluster.node(ended).status().role() == Role.FOLLOWER);
		this.cluster.commit("last");
		int size = this.cluster.texts(this.cluster.leader()).size();
		assertThat(this.cluster.awaitEqual(size)).doesNotHaveDuplicates().startsWith("a").endsWith("last");
		assertThat(this.cluster.machine(ended).hasFailed()).isFalse();
		assertThat(status.node()).isEqualTo(ended);
	}

	@Test
	void nodeWithSnapshotRestarts() throws Exception {
		Member ended = this.cluster.follower();
		int restored = this.cluster.machine(ended).restored();
		this.cluster.commit("b");
		this.cluster.awaitEqual(2);
		this.cluster.node(ended).snapshot().get(20, TimeUnit.SECONDS);
		this.cluster.commit("c");
		end(ended);
		await().until(() -> this.cluster.node(ended).status().failure() != null);
		this.cluster.commit("d");
		assertThat(this.cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
		assertThat(this.cluster.machine(ended).restored()).isEqualTo(restored);
	}

	@Test
	void closesWhileWaitingToRestart() throws Exception {
		Member ended = this.cluster.follower();
		end(ended);
		await().until(() -> this.cluster.node(ended).status().failure() != null);
		this.cluster.stop(ended);
		this.cluster.start(ended, NodeStart.existing());
		this.cluster.commit("b");
		assertThat(this.cluster.awaitEqual(2)).containsExactly("a", "b");
	}

	@Test
	void leaderStepsDownWhenItsMachineFails() throws Exception {
		Member failed = this.cluster.leader();
		this.cluster.node(failed).fail(new OutOfMemoryError("test"));
		await().until(() -> !this.cluster.leader().equals(failed));
		this.cluster.commit("b");
		assertThat(this.cluster.machine(failed).hasFailed()).isTrue();
		assertThat(this.cluster.node(failed).status()).satisfies((status) -> {
			assertThat(status.role()).isEqualTo(Role.FAILED);
			assertThat(status.failure()).isEqualTo("test");
		});
		assertThat(this.cluster.texts(failed)).containsExactly("a");
	}

	@Test
	void nodeStepsDownWhenItsMachineCannotLead() throws Exception {
		Member failed = this.cluster.follower();
		this.cluster.machine(failed).refuseToLead();
		await().until(() -> {
			if (!this.cluster.machine(failed).hasLed()) {
				this.cluster.node(this.cluster.leader()).transferLeadership(failed);
			}
			return this.cluster.machine(failed).hasFailed();
		});
		await().until(() -> this.cluster.node(failed).status().role() == Role.FAILED);
		assertThat(this.cluster.leader()).isNotEqualTo(failed);
		this.cluster.commit("b");
	}

	@Test
	void nodeEndsPermanentlyWhenItReadsDamage() throws Exception {
		abandon();
		Member late = this.cluster.follower();
		this.cluster.awaitEqual(1);
		this.cluster.stop(late);
		this.cluster.commit("b", "damaged");
		// More than the log keeps in memory.
		for (int i = 0; i < 40; i++) {
			this.cluster.commit("c" + i);
		}
		Member leader = this.cluster.leader();
		this.cluster.awaitEqual(43);
		damage(leader, "damaged");
		this.cluster.start(late, NodeStart.existing());
		await().until(() -> this.cluster.machine(leader).hasFailed());
		assertThat(this.cluster.node(leader).status().failure()).contains("is damaged at position");
		this.cluster.commit("d");
		await().until(() -> this.cluster.texts(late).size() == 44);
		assertThat(this.cluster.texts(late)).startsWith("a", "b", "damaged", "c0").endsWith("c39", "d");
	}

	/** Flips a bit of a text in a node's log. */
	private void damage(Member member, String text) throws IOException {
		try (Stream<Path> files = Files.list(this.cluster.directory(member).resolve("raft/log"))) {
			for (Path file : files.toList()) {
				int position = Files.readString(file, StandardCharsets.ISO_8859_1).indexOf(text);
				if (position >= 0) {
					try (RandomAccessFile segment = new RandomAccessFile(file.toFile(), "rw")) {
						segment.seek(position);
						segment.write(text.charAt(0) ^ 1);
					}
					return;
				}
			}
		}
		throw new AssertionError("No file has the text");
	}

	@Test
	void nodeStaysEndedAfterItsMachineFailed() throws Exception {
		Member failed = this.cluster.follower();
		this.cluster.machine(failed).setPoison("b");
		this.cluster.commit("b", "c");
		await().until(() -> this.cluster.machine(failed).hasFailed());
		NodeStatus status = this.cluster.node(failed).status();
		assertThat(status.role()).isEqualTo(Role.FAILED);
		assertThat(status.failure()).isNotNull();
		this.cluster.commit("d");
		assertThat(this.cluster.texts(failed)).containsExactly("a");
		this.cluster.stop(failed);
		this.cluster.start(failed, NodeStart.existing());
		assertThat(this.cluster.awaitEqual(4)).containsExactly("a", "b", "c", "d");
	}

}
