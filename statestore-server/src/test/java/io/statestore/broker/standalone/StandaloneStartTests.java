package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests options of the broker and the gateway, and starts that fail. */
class StandaloneStartTests {

	private final TestCommand command = new TestCommand();

	private final Path directory;

	StandaloneStartTests(@TempDir Path directory) {
		this.directory = directory.resolve("store");
	}

	/** Values that are invalid with every maximum heap. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = {
			"--max-keys 0 | --max-keys must be at least 1, but is 0",
			"--max-size -1 | --max-size must be at least 1, but is -1",
			"--max-keys 9999999999999 | --max-keys must be at most", "--max-size 1048576G | --max-size must be at most",
			"--reply-memory 0 | --reply-memory must be at least 1048576, but is 0",
			"--reply-memory 1048576G | --reply-memory must be at most",
			"--client-memory 0 | --client-memory must be at least 1048576",
			"--client-memory 1048576G | --client-memory must be at most",
			"--memory-per-client 0 | --memory-per-client must be at least 65536",
			"--memory-per-client 1048576G | raise --client-memory",
			"--max-packet-size 0 | --max-packet-size must be 1024 to",
			"--max-packet-size 2M --memory-per-client 1M | raise --memory-per-client",
			"--max-session-expiry 999ms | --max-session-expiry must be 1s to 49710d, but is PT0.999S",
			"--max-session-expiry 49711d | must be 1s to 49710d",
			"--max-connect-size 0 | --max-connect-size must be 1024 to",
			"--max-properties-size 0 | --max-properties-size must be 1024 to",
			"--max-properties-size 17M | raise --max-packet-size", "--client-memory lots | 'lots' is not a size",
			"--user alice | --user and --password-file require each other",
			"gateway mqtt://localhost:1 --max-keys 0 | --max-keys must be at least 1, but is 0",
			"gateway mqtt://localhost:1 --max-size 1048576G | --max-size must be",
			"gateway mqtt://localhost:1 --reply-memory 1048576G | --reply-memory must be",
			"gateway mqtt://localhost:1 --client-memory 1048576G | --client-memory must be",
			"gateway mqtt://localhost:1 --memory-per-client 0 | --memory-per-client must be",
			"gateway broker.example:1883 | 'broker.example:1883'; valid is mqtt://host:port or mqtts://host:port" })
	void refusesOptionAndNamesNextStep(String arguments, String error) {
		assertThat(this.command.run((Object[]) arguments.split(" "))).isEqualTo(2);
		assertThat(this.command.errors()).contains(error)
			.contains("Usage: java -jar statestore-server-exec.jar "
					+ (arguments.startsWith("gateway") ? "gateway" : "["));
	}

	@Test
	void readsPasswordFromFile() throws Exception {
		Path password = Files.writeString(Files.createDirectory(this.directory).resolve("password"), "sesame\n");
		try (StateStoreBroker broker = TestCommand.start("--port", 0, "--user", "alice", "--password-file", password,
				"--max-size", 1_000_000, "--protocol-dialect", "specification");
				RawMqttConnection client = new RawMqttConnection(broker.port());
				RawMqttConnection refused = new RawMqttConnection(broker.port())) {
			assertThat(client.connect(RawConnect.of("c1").login("alice", "sesame")).reason()).isZero();
			assertThat(refused.connect(RawConnect.of("c2").login("alice", "sesame\n")).reason()).isEqualTo(0x86);
		}
	}

	@Test
	void failsIfPortIsInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0)) {
			assertThat(failedStart("--port", taken.getLocalPort())).contains("localhost:" + taken.getLocalPort(),
					"in use");
		}
	}

	@Test
	void failsIfDirectoryIsFile() throws IOException {
		Files.writeString(this.directory, "text");
		assertThat(failedStart("--port", 0, "--data-directory", this.directory)).contains(this.directory.toString());
	}

	@Test
	void failsIfStoreIsDamaged() throws IOException {
		StateStoreBroker.builder().storage(StorageOptions.in(this.directory)).start().close();
		try (Stream<Path> segments = Files.list(this.directory.resolve("log"))) {
			Files.delete(segments.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow());
		}
		assertThat(failedStart("--port", 0, "--data-directory", this.directory))
			.contains("java -jar statestore-server-exec.jar check --data-directory " + this.directory);
	}

	/** Returns the only output line of a start that fails with exit code 1. */
	private String failedStart(Object... options) {
		assertThat(this.command.run(options)).isEqualTo(1);
		assertThat(this.command.output()).isEmpty();
		assertThat(this.command.errors()).hasLineCount(1);
		return this.command.errors();
	}

}
