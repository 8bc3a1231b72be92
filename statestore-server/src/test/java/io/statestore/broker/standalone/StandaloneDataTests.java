package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The broker with a directory in a separate process. */
@Timeout(60)
class StandaloneDataTests {

	private final Path directory;

	StandaloneDataTests(@TempDir Path directory) {
		this.directory = directory.resolve("store");
	}

	@Test
	void keepsAcknowledgedWriteAfterKill() throws Exception {
		try (JavaProcess broker = launch(); StoreClient client = StoreClient.connect(awaitPort(broker), "c")) {
			client.call("SET", "k", "v");
			broker.kill();
		}
		try (JavaProcess broker = launch(); StoreClient client = StoreClient.connect(awaitPort(broker), "c")) {
			assertThat(client.value("k")).isEqualTo("v");
		}
	}

	@Test
	void logsAbsoluteDirectory() {
		try (JavaProcess broker = launch()) {
			broker.await("listens on mqtt://localhost:\\d+, data in " + this.directory.toAbsolutePath() + "$");
		}
	}

	@Test
	void exitsIfDirectoryIsInUse() {
		try (JavaProcess first = launch()) {
			awaitPort(first);
			assertThat(failedStart()).contains(this.directory.toString(), "in use");
		}
	}

	@Test
	void exitsIfDirectoryIsFile() throws IOException {
		Files.writeString(this.directory, "text");
		assertThat(failedStart()).contains(this.directory.toString());
	}

	@Test
	void exitsIfStoreIsDamaged() throws IOException {
		try (JavaProcess broker = launch()) {
			awaitPort(broker);
			broker.terminate();
			broker.awaitExit();
		}
		try (Stream<Path> segments = Files.list(this.directory.resolve("log"))) {
			Files.delete(segments.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow());
		}
		assertThat(failedStart()).contains("java -jar statestore-server-exec.jar check --data " + this.directory);
	}

	/** Returns the error of a start that fails with the exit code 1. */
	private String failedStart() {
		try (JavaProcess broker = launch()) {
			assertThat(broker.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(1);
			assertThat(broker.output()).isEmpty();
			return broker.errors();
		}
	}

	private JavaProcess launch() {
		return StandaloneProcess.launch("--port", "0", "--data", this.directory.toString());
	}

	private static int awaitPort(JavaProcess broker) {
		return Integer.parseInt(broker.await("listens on mqtt://localhost:(\\d+)").group(1));
	}

}
