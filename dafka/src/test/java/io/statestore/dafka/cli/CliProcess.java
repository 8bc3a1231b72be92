package io.statestore.dafka.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.dafka.Await;

import static org.assertj.core.api.Assertions.assertThat;

/** The program in a process of its own, as a user runs it. */
final class CliProcess implements AutoCloseable {

	private final Process process;

	private final Path out;

	private final Path err;

	private CliProcess(Process process, Path out, Path err) {
		this.process = process;
		this.out = out;
		this.err = err;
	}

	/** Starts it without input. */
	static CliProcess start(Path directory, String... arguments) throws IOException {
		return start(directory, Files.createTempFile(directory, "in", ""), arguments);
	}

	static CliProcess start(Path directory, Path input, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-Xmx256m", "-cp", withoutTests(), DafkaCommand.class.getName()));
		command.addAll(List.of(arguments));
		Path out = Files.createTempFile(directory, "out", "");
		Path err = Files.createTempFile(directory, "err", "");
		return new CliProcess(new ProcessBuilder(command).redirectInput(input.toFile())
			.redirectOutput(out.toFile())
			.redirectError(err.toFile())
			.start(), out, err);
	}

	/** The logging configuration of the tests is not that of a user. */
	private static String withoutTests() {
		return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("test-classes"))
			.collect(Collectors.joining(File.pathSeparator));
	}

	/** Waits for something on standard error. */
	Matcher await(String pattern) {
		Pattern compiled = Pattern.compile(pattern);
		Await.until(pattern, () -> compiled.matcher(err()).find() || !this.process.isAlive());
		Matcher matcher = compiled.matcher(err());
		assertThat(matcher.find()).as(err()).isTrue();
		return matcher;
	}

	/** Waits for the end and expects an exit code. */
	CliProcess exits(int code) throws InterruptedException {
		assertThat(this.process.waitFor(60, TimeUnit.SECONDS)).as("ended; %s", err()).isTrue();
		assertThat(this.process.exitValue()).as(err()).isEqualTo(code);
		return this;
	}

	String out() {
		return read(this.out);
	}

	String err() {
		return read(this.err);
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** As {@code kill} does. */
	void terminate() {
		this.process.destroy();
	}

	/** As {@code kill -9} does. */
	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

}
