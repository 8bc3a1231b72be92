package io.statestore.broker.crash;

import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests {@code kill -9} of a broker while several clients send requests.
 * {@code -Dcrash.kills=100} sets the number of kills.
 */
@Tag("long")
class CrashTests {

	private static final int KILLS = Integer.getInteger("crash.kills", 5);

	/**
	 * Number of large values, which together exceed the log size at which a snapshot is
	 * written.
	 */
	private static final int LARGE_VALUES = 68;

	private static final String LARGE_VALUE = "x".repeat(1 << 20);

	private final Random random = TestRandom.create(CrashTests.class);

	private CrashReport run(int kills, CrashRun.Event disturbance, String... options) throws Exception {
		CrashReport report = new CrashRun((port) -> StandaloneProcess.start(withPort(port, options)),
				this.random.nextLong())
			.disturbedBy(disturbance)
			.run(kills);
		System.out.println(report.toMarkdown());
		return report;
	}

	private static String[] withPort(int port, String... options) {
		return Stream.concat(Stream.of(options), Stream.of("--port", String.valueOf(port))).toArray(String[]::new);
	}

	@Test
	@Timeout(1_800)
	void killsLoseNoData(@TempDir Path directory) throws Exception {
		CrashReport report = run(KILLS, CrashTests::fillLog, "--data-directory", directory.toString());
		assertThat(report.violations()).isEmpty();
		assertThat(report.failed() + report.rejected()).as("requests without an answer of the store").isZero();
		assertThat(report.kinds().values()).doesNotContain(0);
		assertThat(report.notifications()).isPositive();
		assertThat(directory.resolve("snapshot")).isNotEmptyDirectory();
	}

	/** Writes enough for a snapshot, so that recoveries begin with a snapshot. */
	private static void fillLog(StandaloneProcess broker) {
		try (StoreClient client = StoreClient.connect(broker.port(), "filler")) {
			for (int i = 0; i < LARGE_VALUES; i++) {
				client.call("SET", "large", LARGE_VALUE);
			}
		}
	}

	/** Shows that the checks detect what a store without a directory loses. */
	@Test
	@Timeout(120)
	void reportsDataLossOfInMemoryStore() throws Exception {
		CrashReport report = run(1, (broker) -> {
		});
		assertThat(report.violations(Check.LOST_WRITES)).isNotEmpty();
		assertThat(report.violations(Check.LINEARIZABILITY)).isNotEmpty();
		assertThat(report.violations(Check.LOST_SESSIONS)).hasSize(Load.CLIENTS);
	}

}
