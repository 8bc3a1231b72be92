package io.statestore.cli;

import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Command that uses a connection to a server. Failures become messages and exit codes in
 * {@link Failures}.
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
	 * @throws CliException if one is invalid
	 */
	void validate() {
	}

	/**
	 * Runs the command.
	 * @param session connects with the first call
	 * @return the exit code
	 * @throws Exception if the command failed
	 */
	abstract int run(Session session) throws Exception;

	/** Returns all arguments of the command line. */
	final List<String> arguments() {
		return this.spec.root().commandLine().getParseResult().originalArgs();
	}

	final Environment environment() {
		return Environment.of(this.spec);
	}

	/** Prints a message. Returns the exit code of a condition that is not met. */
	final int notMet(String text) {
		message(text);
		return ExitCodes.NOT_MET;
	}

	/** Prints a message on standard error, after the output so far. */
	final void message(String text) {
		environment().out().flush();
		this.spec.commandLine().getErr().println(Texts.onOneLine(text));
	}

}
