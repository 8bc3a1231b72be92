package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the broker in a separate process. */
@Timeout(60)
class StandaloneBrokerTests {

	/** Maximum time from a signal to the end of the program. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final Path directory;

	StandaloneBrokerTests(@TempDir Path directory) {
		this.directory = directory.resolve("store");
	}

	@Test
	void keepsAcknowledgedWriteAfterKillAndStopsOnSignal() {
		try (JavaProcess broker = launch(); StoreClient client = connect(broker)) {
			client.call("SET", "a", "v");
			broker.kill();
		}
		try (JavaProcess broker = launch("--max-keys", "1")) {
			try (StoreClient client = connect(broker)) {
				assertThat(client.value("a")).isEqualTo("v");
				client.call("SET", "b", "v");
			}
			broker.terminate();
			assertThat(broker.awaitExit(STOP_TIMEOUT)).isZero();
			List<String> parts = List.of("Recovered 1 keys", "data in " + this.directory.toAbsolutePath(),
					"Clients that may connect: anonymous clients on this machine only", "refused 1 times", "stopped");
			assertThat(broker.output().lines()).zipSatisfy(parts, (line, part) -> assertThat(line).contains(part));
		}
	}

	@Test
	void exitsIfDirectoryIsInUse() {
		try (StateStoreBroker first = StateStoreBroker.builder().storage(StorageOptions.in(this.directory)).start();
				JavaProcess second = launch()) {
			assertThat(second.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(1);
			assertThat(second.output()).isEmpty();
			assertThat(second.errors()).contains(this.directory.toString(), "in use");
			assertThat(first.isReady()).isTrue();
		}
	}

	@Test
	void exitsAfterInvalidOption() {
		try (JavaProcess broker = launch("--max-keys", "0")) {
			assertThat(broker.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(2);
			assertThat(broker.errors()).contains("--max-keys must be at least 1, but is 0", "Usage:");
		}
	}

	/** Without an explicit exit, the broker's threads would keep the process alive. */
	@Tag("long")
	@Test
	void exitsAfterErrorDuringStart() {
		try (JavaProcess broker = StandaloneProcess.launch("-XX:MaxMetaspaceSize=9m", "--port", "0")) {
			assertThat(broker.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(1);
			assertThat(broker.errors()).contains("Metaspace");
		}
	}

	private JavaProcess launch(String... more) {
		return StandaloneProcess.launch(
				Stream.concat(Stream.of("--port", "0", "--data-directory", this.directory.toString()), Stream.of(more))
					.toArray(String[]::new));
	}

	private static StoreClient connect(JavaProcess broker) {
		return StoreClient.connect(Integer.parseInt(broker.await("listens on mqtt://localhost:(\\d+)").group(1)), "c");
	}

}
