package io.statestore.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * The executable JAR file and the start script in their installed form. Replays the
 * session of docs/cli.md.
 */
@Timeout(120)
class PackagedCliIT {

	private static final Path PAGE = Path.of("..", "docs", "cli.md");

	private static final Pattern SESSION = Pattern.compile("^```console\\n(.*?)^```",
			Pattern.MULTILINE | Pattern.DOTALL);

	@BeforeAll
	static void requireShell() {
		assumeThat(Path.of("/bin/sh")).isExecutable();
	}

	@Test
	@Tag("long")
	void replaysDocumentedSession() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			replaySession(broker.port());
		}
	}

	private static void replaySession(int port) throws Exception {
		Matcher session = SESSION.matcher(Files.readString(PAGE));
		assertThat(session.find()).isTrue();
		List<String> commands = new ArrayList<>(List.of(session.group(1).split("(?m)^\\$ ")));
		assertThat(commands.remove(0)).isEmpty();
		assertThat(commands).hasSizeGreaterThan(8);
		for (String step : commands) {
			int end = step.indexOf('\n');
			Process shell = start(step.substring(0, end), port);
			String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
			assertThat(masked(output)).as(step).isEqualTo(masked(step.substring(end + 1)));
		}
	}

	@Test
	@Tag("long")
	void watchEndsNormallyOnInterrupt() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			Process shell = start(
					"exec statestore watch interrupted --initial & echo pid $!; wait $!; echo exit code $?",
					broker.port());
			try (var reader = shell.inputReader(StandardCharsets.UTF_8)) {
				String pid = reader.readLine().replace("pid ", "");
				assertThat(Cli.on(broker.port()).run("set", "interrupted", "a").exitCode()).isZero();
				assertThat(reader.readLine()).contains("SET", "interrupted", "a");
				// A background process of a shell ignores SIGINT.
				assertThat(new ProcessBuilder("kill", "-TERM", pid).start().waitFor()).isZero();
				assertThat(reader.readLine()).isEqualTo("exit code 0");
			}
			await("the end of the shell").until(() -> !shell.isAlive());
		}
	}

	@Test
	void containsVersionAndLicenseAndNoSignatures() throws IOException {
		try (JarFile jar = new JarFile(jar().toFile())) {
			assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
				.matches("\\d+\\.\\d+\\S*");
			assertThat(content(jar, "META-INF/LICENSE")).contains("Apache License");
			assertThat(content(jar, "META-INF/LICENSE.txt")).contains("Permission is hereby granted");
			assertThat(jar.stream().map(JarEntry::getName)).doesNotHaveDuplicates()
				.noneMatch((name) -> name.matches("META-INF/[^/]*\\.(SF|RSA|DSA)"))
				.noneMatch((name) -> name.startsWith("org/eclipse/paho/"));
		}
	}

	private static String content(JarFile jar, String name) throws IOException {
		return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
	}

	/**
	 * Runs a shell command in which {@code statestore} is the start script and uses the
	 * server on a port.
	 */
	private static Process start(String command, int port) throws IOException {
		ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", command).redirectErrorStream(true);
		// With these variables, the JVM would print an additional line.
		builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
		builder.environment().put("PATH", Path.of("src/main/shell").toAbsolutePath() + ":" + System.getenv("PATH"));
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().put("STATESTORE_CLI_JAR", jar().toAbsolutePath().toString());
		builder.environment().put("STATESTORE_URL", "mqtt://localhost:" + port);
		builder.environment().put("STATESTORE_AS", "alice");
		return builder.start();
	}

	private static Path jar() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("target"))) {
			return files.filter((file) -> file.toString().endsWith("-exec.jar")).findFirst().orElseThrow();
		}
	}

	/** Masks column widths and everything else that differs between runs. */
	private static String masked(String output) {
		return output.replaceAll("\\d{13}:\\d+:\\w+", "VERSION")
			.replaceAll("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+-]\\d\\d:\\d\\d)", "TIME")
			.replaceAll("cli-alice-[0-9a-f]{8}", "CLIENT")
			.replaceAll("[ \\t]+", " ")
			.strip();
	}

}
