package io.statestore.broker.standalone;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** The server command, executed in the test's process. */
final class TestCommand {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final StringWriter output = new StringWriter();

	private final StringWriter errors = new StringWriter();

	/**
	 * Executes the command, which must not start a server.
	 * @return the exit code
	 */
	int run(Object... arguments) {
		CommandLine commandLine = StandaloneBroker.commandLine()
			// Otherwise, each usage message starts a program that measures the terminal.
			.setUsageHelpAutoWidth(false)
			.setOut(new PrintWriter(this.output, true))
			.setErr(new PrintWriter(this.errors, true));
		return assertTimeoutPreemptively(TIMEOUT, () -> commandLine.execute(texts(arguments)));
	}

	/** Starts a broker with command-line options. */
	static StateStoreBroker start(Object... options) {
		CommandLine commandLine = StandaloneBroker.commandLine();
		commandLine.parseArgs(texts(options));
		return commandLine.<StandaloneBroker>getCommand().configure().start();
	}

	private static String[] texts(Object... arguments) {
		return Stream.of(arguments).map(String::valueOf).toArray(String[]::new);
	}

	/** Returns what the command has written to standard output. */
	String output() {
		return this.output.toString();
	}

	/** Returns what the command has written to standard error. */
	String errors() {
		return this.errors.toString();
	}

}
