package io.statestore.dafka.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Commands in processes that exchange records. */
@Tag("long")
@Timeout(180)
@Tag("nightly")
class PipelineTests {

	@TempDir
	Path directory;

	@Test
	void consumesInOrderAfterStoreWasKilled() throws Exception {
		String lines = lines(0, 10_000);
		try (CliProcess towerProcess = run("tower", "--bind", "127.0.0.1", "--port", "0")) {
			String tower = tower(towerProcess);
			try (CliProcess store = store(tower)) {
				try (CliProcess produce = feed(lines, tower, "-q")) {
					assertThat(produce.exits(0).err()).isEmpty();
				}
				assertThat(consume(tower, "--offsets", offsets()).exits(0)).satisfies((consume) -> {
					assertThat(consume.out()).isEqualTo(lines);
					assertThat(consume.err()).isEqualToIgnoringNewLines("Reached the end of t, records: 10,000");
				});
			}
			try (CliProcess store = store(tower)) {
				assertThat(consume(tower, "-q").exits(0)).satisfies((consume) -> {
					assertThat(consume.out()).isEqualTo(lines);
					assertThat(consume.err()).isEmpty();
				});
				assertThat(consume(tower, "--offsets", offsets()).exits(0).out()).isEmpty();
				store.terminate();
				store.exits(143);
			}
			towerProcess.terminate();
			towerProcess.exits(143);
		}
	}

	@Test
	void terminatedConsumerKeepsOffsets() throws Exception {
		try (Tower tower = tower(); CliProcess store = store(address(tower))) {
			Path file = Files.writeString(this.directory.resolve("file"), "1|2|3");
			try (CliProcess produce = run("produce", "-t", "t", "--tower", address(tower), "--bind", "127.0.0.1", "-l",
					"-D", "|", file.toString(), file.toString())) {
				produce.exits(0);
			}
			String[] options = { "consume", "-t", "t", "--tower", address(tower), "--bind", "127.0.0.1", "--offsets",
					offsets(), "-f", "%t %o %S %s\\n" };
			try (CliProcess consume = run(options)) {
				await("all records").until(() -> consume.out().lines().count() == 6);
				consume.terminate();
				consume.exits(143);
				assertThat(consume.out().lines()).containsExactly("t 0 1 1", "t 1 1 2", "t 2 1 3", "t 3 1 1", "t 4 1 2",
						"t 5 1 3");
			}
			assertThat(consume(address(tower), "--offsets", offsets()).exits(0).out()).isEmpty();
			assertThat(consume(address(tower), "--count", "2").exits(0).out()).isEqualTo("1\n2\n");
			assertThat(consume(address(tower), "--offset", "4").exits(0).out()).isEqualTo("2\n3\n");
			assertThat(store.err()).contains("Store listens on port ");
		}
	}

	@Test
	void reportsUnacknowledgedRecordsWithoutStore() throws Exception {
		try (CliProcess produce = feed("1\n\n3", "127.0.0.1:1", "--timeout", "100ms", "--progress")) {
			assertThat(produce.exits(1).err()).contains("3 of 3 records were not acknowledged: check that a store runs")
				.contains("no other node was found through the tower 127.0.0.1:1:2");
		}
	}

	@Test
	void runningConsumerReceivesRecordsWithoutStore() throws Exception {
		try (Tower tower = tower();
				CliProcess consume = run("consume", "-t", "t", "-c", "3", "--tower", address(tower), "--bind",
						"127.0.0.1");
				CliProcess produce = feed("1\n\n3", address(tower), "--no-ack", "--linger", "60s")) {
			assertThat(consume.exits(0).out()).isEqualTo("1\n\n3\n");
			produce.terminate();
			assertThat(produce.exits(143).err()).isEqualToIgnoringNewLines("Stopped, records sent: 3");
		}
	}

	@Test
	void failsToReadUnknownTopicToEnd() throws Exception {
		assertThat(consume("127.0.0.1:1", "--timeout", "100ms").exits(1).err())
			.contains("No other node was found through the tower 127.0.0.1:1:2");
	}

	private static Tower tower() {
		return Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
	}

	private static String address(Tower tower) {
		return "127.0.0.1:" + tower.address().inPort() + ':' + tower.address().outPort();
	}

	private static String tower(CliProcess process) {
		MatchResult printed = process.await("--tower (127.0.0.1:\\d+:\\d+)");
		return printed.group(1);
	}

	private CliProcess store(String tower) throws Exception {
		CliProcess store = run("store", "--tower", tower, "--bind", "127.0.0.1", "--directory",
				this.directory.resolve("records").toString(), "--fsync", "batch", "--retention-age", "7d",
				"--retention-size", "10G");
		store.await("Store listens");
		return store;
	}

	private CliProcess feed(String input, String tower, String... options) throws Exception {
		Path file = Files.writeString(Files.createTempFile(this.directory, "lines", ""), input);
		return CliProcess.start(this.directory, file,
				with(options, "produce", "-t", "t", "--tower", tower, "--bind", "127.0.0.1"));
	}

	/**
	 * Consumes until the end. The timeout allows for slow machines; a single partition
	 * settles fast.
	 */
	private CliProcess consume(String tower, String... options) throws Exception {
		return run(with(options, "consume", "-t", "t", "-e", "--settle", "200ms", "--tower", tower, "--bind",
				"127.0.0.1"));
	}

	private CliProcess run(String... arguments) throws Exception {
		return CliProcess.start(this.directory, arguments);
	}

	private static String[] with(String[] options, String... first) {
		return Stream.concat(Stream.of(first), Stream.of(options)).toArray(String[]::new);
	}

	private String offsets() {
		return this.directory.resolve("offsets").toString();
	}

	private static String lines(int from, int to) {
		List<String> lines = IntStream.range(from, to).mapToObj((i) -> "line " + i).toList();
		return lines.stream().collect(Collectors.joining("\n", "", "\n"));
	}

}
