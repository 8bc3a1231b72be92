package io.statestore.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the commands in {@code docs/protocol.md} with an independent MQTT client and
 * compares their output with the page.
 */
class ProtocolByHandTests {

	private static final Path PAGE = Path.of("..", "docs", "protocol.md");

	/** Matches commands, and the output that follows them, if any. */
	private static final Pattern STEP = Pattern.compile("^```bash\\n(.*?)^```\\n+(?:^```text\\n(.*?)^```$)?",
			Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern VERSION = Pattern.compile("\\d{13}:\\d+:StateStore");

	private static final String END_OF_STEP = "=== end of step ===";

	@Test
	@RequiresProgram("mosquitto_rr")
	void printsDocumentedOutput(@TempDir Path directory) throws Exception {
		List<String> commands = new ArrayList<>();
		List<List<String>> expected = new ArrayList<>();
		Matcher steps = STEP.matcher(numberVersions(Files.readString(PAGE)));
		while (steps.find()) {
			commands.add(steps.group(1));
			expected.add(lines((steps.group(2) != null) ? steps.group(2) : ""));
		}
		assertThat(commands).hasSizeGreaterThan(3);
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			String script = "port=" + broker.port() + "\n" + String.join("echo '" + END_OF_STEP + "'\n", commands);
			String output = numberVersions(run(directory, script));
			List<List<String>> printed = new ArrayList<>();
			for (String step : output.split(END_OF_STEP + "\n", -1)) {
				printed.add(lines(step));
			}
			assertThat(printed).isEqualTo(expected);
		}
	}

	/** Replaces each version with a number, because versions differ in each run. */
	private static String numberVersions(String text) {
		List<String> versions = new ArrayList<>();
		return VERSION.matcher(text).replaceAll((match) -> {
			if (!versions.contains(match.group())) {
				versions.add(match.group());
			}
			return "version " + versions.indexOf(match.group());
		});
	}

	/** Returns text without the RESP line ends, which the page does not show. */
	private static List<String> lines(String text) {
		return text.replace("\r", "").lines().filter((line) -> !line.isBlank()).toList();
	}

	private static String run(Path directory, String script) throws IOException, InterruptedException {
		Path file = Files.writeString(directory.resolve("script"), script);
		Path output = directory.resolve("output");
		Process bash = new ProcessBuilder("bash", file.toString()).directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
			return Files.readString(output);
		}
		finally {
			bash.destroyForcibly();
		}
	}

}
