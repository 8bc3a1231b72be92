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
 * Tests the container image's files and command line, executed without a container. Needs
 * the executable JAR file, so it runs after packaging.
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
	void servesClientsWithDataInVolume() throws Exception {
		Containerfile image = Containerfile.read(Path.of(""));
		image.createFiles(this.root);
		List<String> command = new ArrayList<>(image.command(this.root));
		command.addAll(List.of("--port", "0"));
		Process server = run("server", command);
		int port = awaitPort();
		try (StoreClient client = StoreClient.connect(port, "c", USER, PASSWORD)) {
			client.call("SET", "k", "v");
		}
		// Without the environment variables, only clients in the container could connect.
		try (RawMqttConnection stranger = new RawMqttConnection(port)) {
			assertThat(stranger.connect("stranger").reason()).isEqualTo(0x86);
		}
		assertThat(healthCheck(image, port)).isZero();
		server.destroy();
		assertThat(exitCode(server)).isZero();
		TestCommand check = new TestCommand();
		assertThat(check.run("check", "--data-directory", command.get(command.indexOf("--data-directory") + 1)))
			.isZero();
		assertThat(check.output()).contains("The store is intact");
	}

	@Test
	void runsAsNonRootUserWithDataVolume() throws Exception {
		Containerfile image = Containerfile.read(Path.of(""));
		assertThat(image.instruction("USER (\\d+):\\d+")).isNotEqualTo("0");
		assertThat(image.command(Path.of("/"))).containsSequence("--data-directory",
				image.instruction("VOLUME \\[\"(.*)\"]"));
		assertThat(image.instruction("EXPOSE (\\d+)")).isEqualTo("1883");
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
		// Use the login that docs/deployment.md sets. The health check does not need a
		// login.
		builder.environment().putAll(Map.of("STATESTORE_USERNAME", USER, "STATESTORE_PASSWORD", PASSWORD));
		builder.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
		Process process = builder.start();
		this.processes.add(process);
		return process;
	}

	private static int exitCode(Process process) throws InterruptedException {
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		return process.exitValue();
	}

	private int awaitPort() {
		return Integer.parseInt(Awaitility.await().until(() -> {
			Matcher matcher = PORT.matcher(Files.readString(log("server")));
			return matcher.find() ? matcher.group(1) : "";
		}, (port) -> !port.isEmpty()));
	}

	private Path log(String name) {
		return this.directory.resolve(name + ".log");
	}

}
