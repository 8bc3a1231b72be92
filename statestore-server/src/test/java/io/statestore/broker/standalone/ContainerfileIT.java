package io.statestore.broker.standalone;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.RawMqttConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The files of the container image and its command line, executed without a container.
 * Needs the executable JAR file, so that it runs after the packaging.
 */
@Timeout(120)
class ContainerfileIT {

	private static final String USER = "press";

	private static final String PASSWORD = "sesame";

	private static final Pattern PORT = Pattern.compile("listens on mqtt://0\\.0\\.0\\.0:(\\d+)");

	private final Path directory;

	private final Path root;

	private final List<Process> processes = new ArrayList<>();

	ContainerfileIT(@TempDir Path directory) {
		this.directory = directory;
		this.root = directory.resolve("root");
	}

	@AfterEach
	void kill() {
		this.processes.forEach(Process::destroyForcibly);
	}

	@Test
	void servesClientsAndKeepsDataAcrossStop() throws Exception {
		Containerfile image = Containerfile.read(Path.of(""));
		image.createFiles(this.root);
		Process first = start("first", image.command(this.root));
		int port = awaitPort("first");
		try (StoreClient client = StoreClient.connect(port, "c", USER, PASSWORD)) {
			client.call("SET", "k", "v");
		}
		// Without the variables, only clients in the container could connect.
		try (RawMqttConnection stranger = new RawMqttConnection(port)) {
			assertThat(stranger.connect("stranger").reason()).isEqualTo(0x86);
		}
		assertThat(healthCheck(image, port)).isZero();
		assertThat(terminate(first)).isZero();
		assertThat(healthCheck(image, port)).isOne();
		Process second = start("second", image.command(this.root));
		try (StoreClient client = StoreClient.connect(awaitPort("second"), "c", USER, PASSWORD)) {
			assertThat(client.value("k")).isEqualTo("v");
		}
		assertThat(terminate(second)).isZero();
	}

	@Test
	void runsAsOtherUserThanRootWithVolumeForData() throws Exception {
		Containerfile image = Containerfile.read(Path.of(""));
		assertThat(image.instruction("USER (\\d+):\\d+")).isNotEqualTo("0");
		assertThat(image.command(Path.of("/"))).containsSequence("--data", image.instruction("VOLUME \\[\"(.*)\"]"));
		assertThat(image.instruction("EXPOSE (\\d+)")).isEqualTo("1883");
	}

	/** Starts a command line of the image, with a free port. */
	private Process start(String name, List<String> command) throws IOException {
		List<String> arguments = new ArrayList<>(command);
		arguments.addAll(List.of("--port", "0"));
		return run(name, arguments);
	}

	private int healthCheck(Containerfile image, int port) throws Exception {
		List<String> arguments = new ArrayList<>(image.healthCheck(this.root));
		arguments.addAll(List.of("--port", Integer.toString(port)));
		return exitCode(run("health", arguments));
	}

	private Process run(String name, List<String> command) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(Redirect.to(log(name).toFile()));
		String java = Path.of(System.getProperty("java.home"), "bin").toString();
		builder.environment().merge("PATH", java, (path, first) -> first + File.pathSeparator + path);
		builder.environment().keySet().removeIf((variable) -> variable.startsWith("STATESTORE_"));
		// The login that docs/containers.md sets. The health check needs none.
		builder.environment().putAll(Map.of("STATESTORE_USERNAME", USER, "STATESTORE_PASSWORD", PASSWORD));
		Process process = builder.start();
		this.processes.add(process);
		return process;
	}

	private int terminate(Process process) throws Exception {
		process.destroy();
		return exitCode(process);
	}

	private static int exitCode(Process process) throws InterruptedException {
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		return process.exitValue();
	}

	private int awaitPort(String name) {
		return Integer.parseInt(Awaitility.await().until(() -> {
			Matcher matcher = PORT.matcher(Files.readString(log(name)));
			return matcher.find() ? matcher.group(1) : "";
		}, (port) -> !port.isEmpty()));
	}

	private Path log(String name) {
		return this.directory.resolve(name + ".log");
	}

}
