package io.statestore.dafka.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;

import io.statestore.test.JavaProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** The program in a separate process, as users run it. */
final class CliProcess implements AutoCloseable {

	private final JavaProcess process;

	private CliProcess(JavaProcess process) {
		this.process = process;
	}

	/** Starts the program with empty input. */
	static CliProcess start(Path directory, String... arguments) throws IOException {
		return start(directory, Files.createTempFile(directory, "in", ""), arguments);
	}

	static CliProcess start(Path directory, Path input, String... arguments) {
		return new CliProcess(JavaProcess.of(DafkaCommand.class)
			.withoutTests()
			.options("-Xmx256m")
			.input(input)
			.arguments((Object[]) arguments)
			.start());
	}

	/** Waits until the program prints a match to standard error. */
	MatchResult await(String regex) {
		return this.process.awaitError(regex);
	}

	/** Waits for the end of the program and checks its exit code. */
	CliProcess exits(int code) {
		assertThat(this.process.awaitExit()).as(err()).isEqualTo(code);
		return this;
	}

	String out() {
		return this.process.output();
	}

	String err() {
		return this.process.errors();
	}

	void terminate() {
		this.process.terminate();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
