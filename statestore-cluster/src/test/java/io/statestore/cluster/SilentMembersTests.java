package io.statestore.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import io.statestore.broker.log.TwinFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests members that accept connections but never answer, or whose address is
 * unreachable.
 */
class SilentMembersTests {

	@TempDir
	private Path directory;

	@Test
	void majorityElectsLeaders() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				TestCluster cluster = new TestCluster(this.directory, 3)) {
			cluster.setElectionTimeout(Duration.ofSeconds(1));
			cluster.members().add(new Member("127.0.0.1", silent.getLocalPort()));
			// Reserved for documentation (RFC 5737).
			cluster.members().add(new Member("192.0.2.1", 1885));
			List<Member> running = cluster.members().subList(0, 3);
			for (Member member : running) {
				cluster.start(member, cluster.members());
			}
			for (Member member : running) {
				// As if the other members had run once.
				cluster.stop(member);
				meet(cluster.directory(member), cluster.members().subList(3, 5));
			}
			for (Member member : running) {
				cluster.start(member, NodeStart.existing());
			}
			cluster.commit("a");
			Member first = cluster.leader();
			cluster.kill(first);
			cluster.start(first, NodeStart.existing());
			cluster.commit("b");
			Member next = cluster.follower();
			cluster.node(cluster.leader()).transferLeadership(next);
			await().until(() -> cluster.leader().equals(next));
			cluster.commit("c");
			assertThat(cluster.awaitEqual(3)).containsExactly("a", "b", "c");
		}
	}

	private static void meet(Path directory, List<Member> others) throws IOException {
		try (TwinFile file = TwinFile.open(directory.resolve(NodeDirectory.NODE))) {
			NodeIdentity identity = Objects.requireNonNull(NodeIdentity.decode(file.content()));
			for (Member other : others) {
				identity = identity.withDirectory(other.toString(), UUID.randomUUID());
			}
			file.write(identity.encode());
		}
	}

}
