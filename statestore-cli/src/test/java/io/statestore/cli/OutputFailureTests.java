package io.statestore.cli;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Standard output that does not accept results. */
@Timeout(120)
class OutputFailureTests {

	@Test
	void watchEndsWhenItsOutputFails() {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			Cli.on(broker.port()).run("set", "k", "first");
			assertThat(StateStoreCli.execute(failing(System.err), "watch", "k", "--initial", "--url",
					"mqtt://127.0.0.1:" + broker.port()))
				.isEqualTo(ExitCodes.FAILED);
		}
	}

	@Test
	@Tag("long")
	void watchEndsWhenReaderHasEnded() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().port(0).start()) {
			Cli.on(broker.port()).run("set", "k", "first");
			Process process = builder("watch", "k", "--initial", "--url", "mqtt://127.0.0.1:" + broker.port())
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
			try {
				try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
					assertThat(reader.readLine()).contains("first");
				}
				Cli.on(broker.port()).run("set", "k", "second");
				assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
				assertThat(process.exitValue()).isEqualTo(ExitCodes.FAILED);
			}
			finally {
				process.destroyForcibly();
			}
		}
	}

	@Test
	void unwritableResultKeepsOtherExitCode() {
		ByteArrayOutputStream errors = new ByteArrayOutputStream();
		Environment environment = failing(new PrintStream(errors));
		assertThat(StateStoreCli.execute(environment, "completion")).isEqualTo(ExitCodes.FAILED);
		assertThat(errors.toString(StandardCharsets.UTF_8)).contains("standard output");
		assertThat(StateStoreCli.execute(environment, "get")).isEqualTo(ExitCodes.USAGE);
	}

	@Test
	void recordWriterFailsEarly() {
		RecordWriter records = new RecordWriter(failing(), OutputFormat.RAW, "key");
		assertThatExceptionOfType(CliException.class).isThrownBy(() -> {
			for (int i = 0; i < 1000; i++) {
				records.write("k");
			}
		}).satisfies((failure) -> assertThat(failure.exitCode()).isEqualTo(ExitCodes.FAILED));
	}

	private static Environment failing(PrintStream errors) {
		return new Environment(Map.of(), new ByteArrayInputStream(new byte[0]), failing(), errors, false);
	}

	private static PrintStream failing() {
		return new PrintStream(new OutputStream() {
			@Override
			public void write(int character) throws IOException {
				throw new IOException("full");
			}
		});
	}

	private static ProcessBuilder builder(String... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-cp", System.getProperty("java.class.path"), StateStoreCli.class.getName()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command);
	}

}
