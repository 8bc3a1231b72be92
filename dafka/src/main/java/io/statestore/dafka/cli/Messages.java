package io.statestore.dafka.cli;

import java.io.PrintWriter;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a command tells on standard error, and how much of it. */
final class Messages {

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init")
	private CommandSpec command;

	@Option(names = { "-q", "--quiet" }, description = "Tell nothing but errors")
	private boolean quiet;

	/** Logging starts after options are read. */
	@Option(names = { "-v", "--verbose" }, description = "Log what happens")
	private void verbose(boolean given) {
		System.setProperty("dafka.log", given ? "DEBUG" : "WARN");
	}

	/** Unless it is to be quiet. */
	void info(String format, @Nullable Object... arguments) {
		if (!this.quiet) {
			error(format, arguments);
		}
	}

	void error(String format, @Nullable Object... arguments) {
		err().println(String.format(Locale.ROOT, format, arguments));
	}

	/** Ends the command as a wrong option does, unless it is valid. */
	void require(boolean valid, String message) {
		if (!valid) {
			throw new ParameterException(this.command.commandLine(), message);
		}
	}

	PrintWriter err() {
		return this.command.commandLine().getErr();
	}

}
