package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The broker in a separate process. */
class StandaloneBrokerTests {

	/** Limit of the time from a signal to the end of the program. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final Path directory;

	private final List<JavaProcess> processes = new ArrayList<>();

	StandaloneBrokerTests(@TempDir Path directory) {
		this.directory = directory;
	}

	@AfterEach
	void close() {
		this.processes.forEach(JavaProcess::close);
	}

	@Test
	void logsAddressAndStopsOnSignal() throws Exception {
		JavaProcess broker = run("--port", "0");
		int port = awaitPort(broker);
		try (Socket socket = new Socket("localhost", port)) {
			assertThat(socket.isConnected()).isTrue();
		}
		broker.terminate();
		assertThat(broker.awaitExit(STOP_TIMEOUT)).isZero();
		assertThat(output(broker).lines()).hasSize(3)
			.anyMatch((line) -> line.endsWith("Clients that may connect: anonymous clients on this machine only"))
			.last()
			.asString()
			.contains("stopped");
	}

	@Test
	void logsRefusalsOnStop() throws Exception {
		JavaProcess broker = run("--port", "0", "--max-keys", "1");
		try (StoreClient client = StoreClient.connect(awaitPort(broker), "c")) {
			client.call("SET", "a", "v");
			client.call("SET", "b", "v");
		}
		broker.terminate();
		broker.awaitExit(STOP_TIMEOUT);
		assertThat(output(broker).lines()).hasSize(4).anyMatch((line) -> line.contains("refused 1 times"));
	}

	@Test
	void printsOneLineWhenPortIsInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0)) {
			JavaProcess broker = run("--port", Integer.toString(taken.getLocalPort()));
			assertThat(broker.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(1);
			assertThat(output(broker).lines()).singleElement()
				.asString()
				.contains("localhost:" + taken.getLocalPort(), "in use");
		}
	}

	/** Threads of Artemis would keep the process alive. */
	@Test
	void exitsAfterErrorDuringStart() throws Exception {
		JavaProcess broker = run("-XX:MaxMetaspaceSize=17m", "--port", "0");
		assertThat(broker.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(1);
		assertThat(output(broker)).contains("Metaspace");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "--max-keys | 0 | Option --max-keys is '0'; valid is at least 1",
					"--max-bytes | -1 | Option --max-bytes is '-1'; valid is at least 1",
					"--max-keys | 100000000 | Option --max-keys is '100000000'; valid is at most",
					"--max-bytes | 1G | Option --max-bytes is '1073741824'; valid is at most",
					"--reply-memory | 0 | Option --reply-memory is '0'; valid is at least 1048576",
					"--reply-memory | 1G | Option --reply-memory is '1073741824'; valid is at most",
					"--client-memory | 0 | Option --client-memory is '0'; valid is at least 1048576",
					"--client-memory | 1G | Option --client-memory is '1073741824'; valid is at most",
					"--memory-per-client | 0 | Option --memory-per-client is '0'; valid is at least 65536",
					"--memory-per-client | 1G | raise --client-memory",
					"--max-packet-size | 0 | Option --max-packet-size is '0'; valid is 1024 to",
					"--max-packet-size | 20M | raise --memory-per-client",
					"--max-connect-size | 0 | Option --max-connect-size is '0'; valid is 1024 to",
					"--max-properties-size | 0 | Option --max-properties-size is '0'; valid is 1024 to",
					"--max-properties-size | 17M | raise --max-packet-size",
					"--client-memory | lots | 'lots' is not a size" })
	void refusesLimitWithOptionAndNextStep(String option, String value, String error) throws Exception {
		JavaProcess broker = run("-Xmx256m", "--port", "0", option, value);
		assertThat(broker.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(2);
		assertThat(output(broker)).contains(error, "Usage:");
	}

	@Test
	void requiresUserAndPasswordTogether() throws Exception {
		JavaProcess broker = run("--user", "alice");
		assertThat(broker.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(2);
		assertThat(output(broker)).contains("--user and --password-file require each other");
	}

	@Test
	void readsPasswordFromFile() throws Exception {
		Path password = Files.writeString(this.directory.resolve("password"), "sesame\n");
		JavaProcess broker = run("--port", "0", "--user", "alice", "--password-file", password.toString(),
				"--max-bytes", "1000000", "--wire-form", "articles");
		int port = awaitPort(broker);
		assertThat(connect(port, "alice", "sesame")).isZero();
		assertThat(connect(port, "alice", "sesame\n")).isEqualTo(0x86);
	}

	/** Connects with MQTT 5 and returns the reason code of the CONNACK. */
	private static int connect(int port, String user, String password) throws IOException {
		try (Socket socket = new Socket("localhost", port)) {
			String head = "\0\4MQTT\5\u00C2\0\u003C\0\0\1c";
			String body = head + (char) 0 + (char) user.length() + user + (char) 0 + (char) password.length()
					+ password;
			socket.getOutputStream()
				.write(((char) 0x10 + "" + (char) body.length() + body).getBytes(StandardCharsets.ISO_8859_1));
			byte[] connack = socket.getInputStream().readNBytes(4);
			assertThat(connack[0]).isEqualTo((byte) 0x20);
			return connack[3] & 0xFF;
		}
	}

	private JavaProcess run(String... arguments) {
		JavaProcess process = StandaloneProcess.launch(arguments);
		this.processes.add(process);
		return process;
	}

	/** Returns the output without the warnings of JDK 24 and later about JCTools. */
	private static String output(JavaProcess process) {
		return (process.output() + process.errors()).lines()
			.filter((line) -> !line.startsWith("WARNING: "))
			.collect(Collectors.joining("\n"));
	}

	private static int awaitPort(JavaProcess broker) {
		return Integer.parseInt(broker.await("listens on mqtt://localhost:(\\d+)").group(1));
	}

}
