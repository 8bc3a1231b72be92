package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;

import ch.qos.logback.classic.Level;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests nodes with a long round trip between them. */
@Timeout(120)
@Isolated("captures the log")
class SlowNetworkTests {

	@TempDir
	private Path directory;

	@Test
	@Tag("long")
	void clusterWorksWith600MillisRoundTrip() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3)) {
			start(cluster);
			long term = cluster.node(cluster.leader()).status().term();
			cluster.commit("b", "c", "d", "e", "f");
			assertThat(cluster.node(cluster.leader()).status().term()).isEqualTo(term);
		}
	}

	@Test
	@Tag("long")
	void clusterSurvivesLeaderLossWith600MillisRoundTrip() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3)) {
			start(cluster);
			Member first = cluster.leader();
			cluster.kill(first);
			cluster.commit("b");
			cluster.start(first, NodeStart.existing());
			assertThat(cluster.awaitEqual(2)).containsExactly("a", "b");
		}
	}

	private static void start(TestCluster cluster) throws Exception {
		cluster.setRoundTrip(Duration.ofMillis(600));
		cluster.setElectionTimeout(Duration.ofSeconds(3));
		cluster.startAll();
		cluster.commit("a");
	}

	@Test
	@Tag("long")
	void warningNamesOptionIfElectionTimeoutIsTooShort() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3);
				CapturedLog log = new CapturedLog(MachineCaller.class, Level.WARN)) {
			cluster.setRoundTrip(Duration.ofMillis(600));
			cluster.setElectionTimeout(ClusterOptions.ELECTION_TIMEOUT);
			cluster.startAll();
			TestCluster.await()
				.until(() -> log.messages().stream().anyMatch((message) -> message.contains("--election-timeout")));
		}
	}

}
