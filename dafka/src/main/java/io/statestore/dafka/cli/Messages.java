package io.statestore.dafka.cli;

import java.io.PrintWriter;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints a command's messages to standard error. */
final class Messages {

	/** Exit code for a failure at run time. */
	static final int FAILED = ExitCode.SOFTWARE;

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init")
	private CommandSpec command;

	@Option(names = { "-q", "--quiet" }, description = "Print only errors")
	private boolean quiet;

	/**
	 * Sets the log level, which takes effect because logging starts after options are
	 * parsed.
	 */
	@Option(names = { "-v", "--verbose" }, description = "Print a debug log")
	private void verbose(boolean given) {
		System.setProperty("dafka.log", given ? "DEBUG" : "WARN");
	}

	/** Prints a message unless {@code --quiet} is given. */
	void info(String format, @Nullable Object... arguments) {
		if (!this.quiet) {
			error(format, arguments);
		}
	}

	/** Prints a message, even with {@code --quiet}. */
	void error(String format, @Nullable Object... arguments) {
		err().println(String.format(Locale.ROOT, format, arguments));
	}

	/** Checks an option; if it is invalid, ends the command with a usage error. */
	void require(boolean valid, String message) {
		if (!valid) {
			throw new ParameterException(this.command.commandLine(), message);
		}
	}

	PrintWriter err() {
		return this.command.commandLine().getErr();
	}

}
