package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.statestore.broker.log.DamagedLogException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests a node whose log has lost entries at its end. The only other node that could
 * elect a leader with it lacks these entries, too.
 */
@Timeout(120)
class DamagedEndTests {

	private static final List<UnaryOperator<byte[]>> DAMAGE = List.of((log) -> {
		byte[] flipped = log.clone();
		flipped[end(log) - 1] ^= 1;
		return flipped;
	}, (log) -> {
		byte[] zeroed = log.clone();
		Arrays.fill(zeroed, end(log) - 300, log.length, (byte) 0);
		return zeroed;
	}, (log) -> Arrays.copyOf(log, end(log) * 6 / 10));

	@TempDir
	private Path directory;

	private static int end(byte[] log) {
		int end = log.length;
		while (log[end - 1] == 0) {
			end--;
		}
		return end;
	}

	@Test
	void nodeWithDamagedEndDoesNotVote() throws Exception {
		try (TestCluster cluster = new TestCluster(this.directory, 3)) {
			cluster.startAll();
			Member leader = cluster.leader();
			Member late = cluster.follower();
			cluster.commit("first");
			cluster.awaitEqual(1);
			cluster.stop(late);
			for (int i = 0; i < 20; i++) {
				cluster.commit("entry " + i);
			}
			cluster.awaitEqual(21);
			Member damaged = cluster.follower();
			Path killed = this.directory.resolve("killed");
			copy(cluster.directory(damaged), killed);
			cluster.stop(damaged);
			cluster.stop(leader);
			for (UnaryOperator<byte[]> damage : DAMAGE) {
				delete(cluster.directory(damaged));
				copy(killed, cluster.directory(damaged));
				Path log = lastSegment(cluster.directory(damaged));
				Files.write(log, damage.apply(Files.readAllBytes(log)));
				assertThatExceptionOfType(DamagedLogException.class)
					.isThrownBy(() -> cluster.start(damaged, NodeStart.existing()))
					.withMessageContaining(log + " is damaged at position")
					.withMessageContaining("Remove it from the cluster");
			}
			cluster.start(late, NodeStart.existing());
			cluster.start(leader, NodeStart.existing());
			cluster.elect();
			cluster.commit("last");
			assertThat(cluster.awaitEqual(22)).startsWith("first", "entry 0").endsWith("entry 19", "last");
		}
	}

	private static Path lastSegment(Path node) throws IOException {
		try (Stream<Path> files = Files.list(node.resolve("raft/log"))) {
			return files.filter((file) -> file.toString().endsWith(".log"))
				.max(Comparator.naturalOrder())
				.orElseThrow();
		}
	}

	private static void copy(Path source, Path target) throws IOException {
		try (Stream<Path> files = Files.walk(source)) {
			for (Path file : files.toList()) {
				Files.copy(file, target.resolve(source.relativize(file)));
			}
		}
	}

	private static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

}
