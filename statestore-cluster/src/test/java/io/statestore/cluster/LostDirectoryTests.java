package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.log.LogException;
import io.statestore.broker.log.TwinFile;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A node that has lost its directory, and is started as one of a new cluster. */
@Timeout(120)
class LostDirectoryTests {

	@TempDir
	private Path directory;

	@Test
	void nodeTakesNoPartAgain() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3);
				CapturedLog log = new CapturedLog("io.statestore.cluster.transport", Level.WARN)) {
			cluster.startAll();
			cluster.commit("a");
			TestCluster.await()
				.until(() -> cluster.members().stream().allMatch((member) -> knowsOthers(cluster, member)));
			Member lost = cluster.follower();
			cluster.stop(lost);
			delete(cluster.directory(lost));
			cluster.start(lost, NodeStart.newCluster(cluster.members()));
			TestCluster.await()
				.until(() -> log.messages().stream().anyMatch((message) -> message.contains("data is lost"))
						&& log.messages().stream().anyMatch((message) -> message.contains("has lost its data")));
			cluster.commit("b");
			assertThat(cluster.machine(lost).texts()).isEmpty();
			assertThat(cluster.node(lost).leader()).isNull();
		}
	}

	private static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	private static boolean knowsOthers(TestCluster cluster, Member member) {
		try (TwinFile file = TwinFile.open(cluster.directory(member).resolve("node"))) {
			NodeIdentity identity = NodeIdentity.decode(file.content());
			List<Member> others = cluster.members().stream().filter((other) -> !other.equals(member)).toList();
			return identity != null
					&& others.stream().allMatch((other) -> identity.directoryOf(other.toString()) != null);
		}
		catch (IOException | LogException ex) {
			// It is being written.
			return false;
		}
	}

}
