package io.statestore.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.log.StoreDirectoryException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Isolated("captures the log")
class NodeDirectoryTests {

	private static final Member A = new Member("a.example", 1885);

	private static final Member B = new Member("b.example", 1885);

	private static final Member C = new Member("c.example", 1885);

	private static final NodeStart NEW = NodeStart.newCluster(List.of(A, B, C));

	@TempDir
	private Path directory;

	private RaftNodeOptions options(String cluster, Member self, NodeStart start) {
		return new RaftNodeOptions(cluster, self, start, new InetSocketAddress(0), this.directory, () -> {
			throw new IllegalStateException();
		}, Duration.ofSeconds(1), 1, 1, 1 << 10, 1, null);
	}

	private NodeDirectory open(NodeStart start) throws IOException {
		return NodeDirectory.open(options("test", A, start));
	}

	private void create(NodeStart start) throws IOException {
		try (NodeDirectory created = open(start)) {
			created.complete();
		}
	}

	private void assertRefused(RaftNodeOptions options, String message) {
		assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> NodeDirectory.open(options))
			.withMessageStartingWith("Directory " + this.directory + ' ' + message);
	}

	@Test
	void refusesEmptyDirectoryWithoutDecision() {
		assertRefused(options("test", A, NodeStart.existing()),
				"has no data. If the cluster is new, start each of its nodes as a member of a new cluster. If this node "
						+ "lost its data, remove it from the cluster, start it as a node that joins, and add it");
	}

	@Test
	void refusesDirectoryOfOtherNode() throws IOException {
		create(NEW);
		assertRefused(options("test", B, NEW), "belongs to node a.example:1885, but this is node b.example:1885");
	}

	@Test
	void refusesDirectoryOfOtherCluster() throws IOException {
		create(NEW);
		assertRefused(options("other", A, NEW), "belongs to cluster 'test', but the name of the cluster is 'other'");
	}

	@Test
	void refusesSingleNodeStore() throws IOException {
		Files.writeString(this.directory.resolve("store"), "");
		assertRefused(options("test", A, NEW), "has a store that is not part of a cluster");
	}

	@Test
	void refusesOtherFiles() throws IOException {
		Files.writeString(this.directory.resolve("photo.jpg"), "");
		assertRefused(options("test", A, NEW), "is not that of a node and has other files, such as 'photo.jpg'");
	}

	@Test
	void refusesDirectoryInUse() throws IOException {
		try (NodeDirectory used = open(NEW)) {
			assertThat(used.isComplete()).isFalse();
			assertThatExceptionOfType(StoreDirectoryException.class)
				.isThrownBy(() -> NodeDirectory.open(options("test", A, NEW)))
				.withMessageStartingWith("Directory " + this.directory + " is in use by this process");
		}
		open(NEW).close();
	}

	@Test
	void requiresFilesOnlyAfterFirstStart() throws IOException {
		Path vote = this.directory.resolve("vote");
		try (NodeDirectory created = open(NEW)) {
			created.require(vote);
			created.complete();
		}
		try (NodeDirectory existing = open(NEW)) {
			assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> existing.require(vote))
				.withMessageContaining("lacks the file vote, without which the node could vote twice");
		}
	}

	@Test
	void keepsMembersFromFirstStart() throws IOException {
		create(NEW);
		for (NodeStart start : List.of(NodeStart.existing(), NodeStart.join(), NodeStart.newCluster(List.of(A)))) {
			try (NodeDirectory existing = open(start)) {
				assertThat(existing.founders()).containsExactly(A, B, C);
				assertThat(existing.self()).isEqualTo(A);
			}
		}
	}

	@Test
	void joinedNodeGetsNoMembersFromLaterOptions() throws IOException {
		create(NodeStart.join());
		try (NodeDirectory existing = open(NEW)) {
			assertThat(existing.founders()).isEmpty();
			assertThat(existing.self().number()).isPositive();
		}
	}

	@Test
	void usesOptionsOfNextStartAfterInterruptedCreation() throws IOException {
		open(NodeStart.join()).close();
		try (NodeDirectory existing = open(NEW)) {
			assertThat(existing.founders()).containsExactly(A, B, C);
		}
	}

	@Test
	void reportsMembersThatDifferFromCluster() throws IOException {
		create(NEW);
		assertThat(warnings(NEW, List.of(A, B))).isEmpty();
		assertThat(warnings(NodeStart.newCluster(List.of(B, A)), List.of(A, B))).isEmpty();
		assertThat(warnings(NodeStart.existing(), List.of(A, B))).isEmpty();
		assertThat(warnings(NodeStart.newCluster(List.of(A, C)), List.of(A, B))).singleElement()
			.asString()
			.contains("ignores the members [a.example:1885, c.example:1885]",
					"a cluster with the members [a.example:1885, b.example:1885]");
	}

	@Test
	void reportsDifferentPeersAtLaterStart() throws IOException {
		create(NEW);
		assertThat(warnings(NodeStart.existing().among(List.of(C, B, A)), List.of(A, B, C))).isEmpty();
		assertThat(warnings(NodeStart.existing().among(List.of(A, B)), List.of(A, B.withNumber(7)))).isEmpty();
		assertThat(warnings(NodeStart.existing().among(List.of(A, B)), List.of(A, B, C))).singleElement()
			.asString()
			.contains("ignores the members [a.example:1885, b.example:1885]", "--peers");
	}

	@Test
	void nodeThatJoinsDoesNotReportPeers() throws IOException {
		NodeStart join = NodeStart.join().among(List.of(A, B, C));
		assertThat(warnings(join, List.of())).isEmpty();
		create(join);
		assertThat(warnings(join, List.of())).isEmpty();
		assertThat(warnings(join, List.of(B, C))).anyMatch((warning) -> warning.contains("ignores the members"));
	}

	@Test
	void joiningNodeDoesNotMistakePeersForMembers() throws IOException {
		try (NodeDirectory joining = open(NodeStart.join().among(List.of(A, B, C)))) {
			assertThat(joining.founders()).isEmpty();
			assertThat(joining.foundersDigest()).isEmpty();
		}
	}

	@Test
	void nodesInSameClusterHaveSameFounders() throws IOException {
		NodeIdentity one = NodeIdentity.create(options("test", A, NEW), null);
		NodeIdentity same = NodeIdentity.create(options("test", B, NodeStart.newCluster(List.of(C, A, B))), null);
		NodeIdentity other = NodeIdentity.create(options("test", A, NodeStart.newCluster(List.of(A, B))), null);
		assertThat(one.foundersDigest()).isNotEmpty()
			.isEqualTo(same.foundersDigest())
			.isNotEqualTo(other.foundersDigest());
	}

	@Test
	void nodesWithDifferentStateHaveDifferentFounders() throws IOException {
		UUID seed = UUID.randomUUID();
		NodeIdentity empty = NodeIdentity.create(options("test", A, NEW), null);
		NodeIdentity restored = NodeIdentity.create(options("test", A, NEW), seed);
		NodeIdentity same = NodeIdentity.create(options("test", B, NEW), seed);
		NodeIdentity other = NodeIdentity.create(options("test", A, NEW), UUID.randomUUID());
		assertThat(restored.foundersDigest()).isEqualTo(same.foundersDigest())
			.isNotEqualTo(other.foundersDigest())
			.isNotEqualTo(empty.foundersDigest());
	}

	@Test
	void joiningNodeRefusesRestoredState() throws IOException {
		NodeSeed.create(this.directory, RaftNodeOptions.snapshotId("test"), (output) -> {
			output.write(1);
			return 0;
		});
		assertRefused(options("test", A, NodeStart.join()),
				"was restored from a backup for a new cluster, but this node "
						+ "joins one that exists. Use an empty directory");
	}

	@Test
	void keepsDirectoriesOfFounders() throws IOException {
		String directory = UUID.randomUUID().toString();
		try (NodeDirectory created = open(NEW)) {
			assertThat(created.of(B.endpoint())).isEmpty();
			assertThat(created.unknownFounders()).containsExactly(B.endpoint(), C.endpoint());
			created.record(B.endpoint(), directory);
			created.record(B.endpoint(), UUID.randomUUID().toString());
			created.record(C.endpoint(), "no identity");
			created.complete();
		}
		try (NodeDirectory existing = open(NodeStart.existing())) {
			assertThat(existing.of(B.endpoint())).isEqualTo(directory);
			assertThat(existing.unknownFounders()).containsExactly(C.endpoint());
			assertThat(existing.of(new Member("d.example", 1885).endpoint())).isNull();
			assertThat(existing.own()).isNotEmpty();
		}
	}

	@Test
	void joinedNodeKnowsNoFounders() throws IOException {
		create(NodeStart.join().among(List.of(A, B, C)));
		try (NodeDirectory existing = open(NodeStart.existing())) {
			assertThat(existing.own()).isEmpty();
			assertThat(existing.of(B.endpoint())).isNull();
			assertThat(existing.unknownFounders()).isEmpty();
		}
	}

	private List<String> warnings(NodeStart start, List<Member> current) throws IOException {
		Logger logger = (Logger) LoggerFactory.getLogger(NodeDirectory.class);
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.addAppender(appender);
		logger.setLevel(Level.WARN);
		try (NodeDirectory existing = open(start)) {
			existing.compareMembers(current);
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(appender);
		}
		return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	@Test
	void decodesEncodedIdentity() {
		NodeIdentity identity = new NodeIdentity(UUID.randomUUID(), "Zürich", "[::1]:1", List.of("ä:1", "b:2"), true,
				UUID.randomUUID());
		byte[] encoded = identity.encode();
		assertThat(NodeIdentity.decode(encoded)).isEqualTo(identity);
		for (int size = 0; size < encoded.length; size++) {
			assertThat(NodeIdentity.decode(Arrays.copyOf(encoded, size))).isNull();
		}
	}

	@Test
	void refusesMembersWithSameAddress() {
		assertThatIllegalArgumentException().isThrownBy(() -> NodeStart.newCluster(List.of(A, A)))
			.withMessageStartingWith("Two members of the cluster have the same address");
		assertThatIllegalArgumentException().isThrownBy(() -> NodeStart.newCluster(List.of()));
	}

}
