package io.statestore.broker.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests kills, pauses, partitions, leadership transfers, moved clocks, and full disks
 * under load, in the manner of Jepsen. Needs root on Linux, and gcc.
 * {@code -Dcluster.duration=30m} sets the length, {@code -Dcluster.seed} repeats the
 * faults of a run, and {@code -Dcluster.faults=KILL,FULL_DISK} selects kinds of faults.
 */
@Tag("long")
@RequiresProgram({ "gcc", "ip" })
@Tag("nightly")
class FaultTests {

	private static final long SEED = Long.getLong("cluster.seed", System.nanoTime());

	/** Events that must occur in each run, in addition to all kinds of requests. */
	private static final List<String> LOAD = List.of(FaultReport.ACKNOWLEDGED, FaultReport.NOTIFICATIONS,
			FaultReport.DELIVERED, FaultReport.MESSAGES, FaultReport.LOCKS, FaultReport.INCREMENTS);

	@TempDir
	private Path directory;

	private static Duration duration(String standard) {
		return Duration.parse("PT" + System.getProperty("cluster.duration", standard));
	}

	@Test
	@Timeout(3_600)
	void clusterSurvivesFaults() throws Exception {
		try (Nodes nodes = Nodes.cluster(this.directory, List.of("a", "b", "c"))) {
			verify(nodes, duration("2m"));
		}
	}

	@Test
	@Timeout(3_600)
	void brokerSurvivesFaults() throws Exception {
		try (Nodes nodes = Nodes.single(this.directory)) {
			verify(nodes, duration("20s"));
		}
	}

	private static void verify(Nodes nodes, Duration duration) throws Exception {
		System.out.println("FaultTests starts with -Dcluster.seed=" + SEED + " for " + duration);
		FaultReport report = new FaultRun(nodes, SEED).run(duration);
		System.out.println(report.toMarkdown());
		assertThat(report.allViolations()).isEmpty();
		assertThat(report.counts()).allSatisfy((name, count) -> {
			if (name.startsWith("- ") || LOAD.contains(name)) {
				assertThat(count).as(name).isPositive();
			}
		});
		assertThat(report.counts()).containsEntry(FaultReport.ENDED, 0L);
		assertThat(report.foundInjectedRead()).as("one stale read, put into this history, is found").isTrue();
	}

}
