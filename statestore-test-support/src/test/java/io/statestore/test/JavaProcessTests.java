package io.statestore.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class JavaProcessTests {

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private JavaProcess.Builder echo() {
		return JavaProcess.of(Echo.class).options("-Xmx32m").onLine(this.lines::add);
	}

	@Test
	void collectsOutputAndExitCode() {
		try (JavaProcess process = echo().arguments("a", 7).environment(Map.of("ECHO", "env")).start()) {
			assertThat(process.await("^arguments (.*)$").group(1)).isEqualTo("[a, 7] env");
			process.write("hello");
			process.await("hello");
			process.closeInput();
			assertThat(process.awaitExit()).isEqualTo(3);
			assertThat(process.output()).isEqualTo("arguments [a, 7] env\nhello\nterminated\n");
			assertThat(process.errors()).contains("end of input");
			assertThat(this.lines).containsExactly("arguments [a, 7] env", "hello", "terminated");
		}
	}

	@Test
	void readsInputFromFile(@TempDir Path directory) throws IOException {
		Path input = Files.writeString(directory.resolve("input"), "from file\n");
		try (JavaProcess process = echo().input(input).start()) {
			assertThat(process.awaitExit()).isEqualTo(3);
			assertThat(process.output()).contains("from file\n");
		}
	}

	@Test
	void failsWithOutputWhenProcessEndsBeforeLine() {
		try (JavaProcess process = echo().start()) {
			process.closeInput();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> process.await("never"))
				.withMessageContaining("Echo has ended and did not print never")
				.withMessageContaining("end of input");
		}
	}

	@Test
	void ignoresUnfinishedLine() {
		List<String> found = new CopyOnWriteArrayList<>();
		try (JavaProcess process = echo().start()) {
			process.write("port 1" + Echo.UNFINISHED);
			process.awaitError("^unfinished$");
			Thread waiting = new Thread(() -> found.add(process.await("^port (\\d+)$").group(1)));
			waiting.start();
			await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING || !waiting.isAlive());
			process.write("2");
			await().until(() -> !waiting.isAlive());
			assertThat(found).containsExactly("12");
		}
	}

	@Test
	void findsUnfinishedLineAfterEndOfStream() {
		try (JavaProcess process = echo().start()) {
			process.write("last" + Echo.UNFINISHED);
			process.closeInput();
			assertThat(process.await("^last.*").group()).startsWith("last");
		}
	}

	@Test
	void awaitErrorIgnoresStandardOutput() {
		try (JavaProcess process = echo().start()) {
			process.write("hello");
			process.closeInput();
			assertThat(process.awaitError("^end of (.*)$").group(1)).isEqualTo("input");
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> process.awaitError("hello"))
				.withMessageContaining("has ended and did not print hello");
		}
	}

	@Test
	void failsWhenProcessOutlivesTimeout() {
		try (JavaProcess process = echo().start()) {
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> process.awaitExit(Duration.ofMillis(10)))
				.withMessageContaining("did not end within PT0.01S");
		}
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signals")
	void pausesResumesAndTerminates() {
		try (JavaProcess process = echo().start()) {
			process.await("arguments");
			process.pause();
			process.write("late");
			assertThat(process.output()).doesNotContain("late");
			process.resume();
			process.await("late");
			process.terminate();
			assertThat(process.awaitExit()).isEqualTo(143);
			assertThat(process.output()).endsWith("terminated\n");
		}
	}

	@Test
	void closeKillsProcess() {
		JavaProcess process = echo().start();
		process.close();
		await().until(() -> !process.isAlive());
	}

	/** Program that echoes its input. */
	static final class Echo {

		/** Suffix of input lines that are printed without a line break. */
		static final String UNFINISHED = "\\";

		private Echo() {
		}

		public static void main(String[] arguments) throws IOException {
			Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("terminated")));
			String variable = System.getenv("ECHO");
			System.out.println("arguments " + List.of(arguments) + ((variable != null) ? ' ' + variable : ""));
			BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				if (line.endsWith(UNFINISHED)) {
					System.out.print(line.substring(0, line.length() - UNFINISHED.length()));
					System.out.flush();
					System.err.println("unfinished");
				}
				else {
					System.out.println(line);
				}
			}
			System.err.println("end of input");
			System.exit(3);
		}

	}

}
