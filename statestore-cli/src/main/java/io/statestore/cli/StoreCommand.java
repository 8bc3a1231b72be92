package io.statestore.cli;

import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Command that uses a connection to a server. {@link Failures} converts failures to
 * messages and exit codes.
 */
@Command(mixinStandardHelpOptions = true)
abstract class StoreCommand implements Callable<Integer> {

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@ArgGroup(validate = false, heading = "%nConnection:%n")
	private ServerOptions server = new ServerOptions();

	@Override
	public final Integer call() throws Exception {
		Session.awaitClasses();
		validate();
		try (Session session = this.server.connect(environment())) {
			return run(session);
		}
	}

	/**
	 * Checks options and arguments before the command connects.
	 * @throws CliException if an option or argument is invalid
	 */
	void validate() {
	}

	/**
	 * Runs the command.
	 * @param session connects with its first call
	 * @return the exit code
	 * @throws Exception if the command failed
	 */
	abstract int run(Session session) throws Exception;

	/** Returns all command-line arguments. */
	final List<String> arguments() {
		return this.spec.root().commandLine().getParseResult().originalArgs();
	}

	final Environment environment() {
		return Environment.of(this.spec);
	}

	/** Prints a message and returns {@link ExitCodes#NOT_MET}. */
	final int notMet(String text) {
		message(text);
		return ExitCodes.NOT_MET;
	}

	/** Flushes the output so far, then prints a message to standard error. */
	final void message(String text) {
		environment().out().flush();
		this.spec.commandLine().getErr().println(Texts.onOneLine(text));
	}

}
