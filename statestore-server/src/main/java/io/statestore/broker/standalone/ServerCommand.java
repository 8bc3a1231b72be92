package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;

import io.statestore.broker.log.LogException;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Base class for all commands, with the help and version options and the exit codes for
 * errors.
 */
@Command(mixinStandardHelpOptions = true, sortOptions = false, usageHelpAutoWidth = true,
		versionProvider = StandaloneVersion.class, exitCodeListHeading = "%nExit codes:%n")
abstract class ServerCommand implements Callable<Integer> {

	/** Exit code of most commands if they fail. */
	static final int FAILED = 1;

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Override
	public final Integer call() {
		try {
			return run();
		}
		catch (IllegalArgumentException ex) {
			throw invalid(this.spec, ex);
		}
		catch (IOException ex) {
			return fail(describe(ex));
		}
		catch (IllegalStateException | LogException ex) {
			return fail(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Runs the command.
	 * @return the exit code
	 * @throws IllegalArgumentException if an option is invalid
	 * @throws IOException if the command fails, see {@link #describe}
	 * @throws IllegalStateException if the command fails; the message explains how to fix
	 * the problem
	 * @throws LogException if the command fails; the message explains how to fix the
	 * problem
	 */
	abstract int run() throws IOException;

	String describe(IOException failure) {
		return String.valueOf(failure.getMessage());
	}

	/** Prints an error, and returns the failure exit code. */
	int fail(String message) {
		errors().println(message);
		return FAILED;
	}

	final PrintWriter output() {
		return this.spec.commandLine().getOut();
	}

	final PrintWriter errors() {
		return this.spec.commandLine().getErr();
	}

	/**
	 * Returns an error whose message contains command-line options, such as
	 * {@code --max-keys}, instead of builder options, such as {@code 'maxKeys'}.
	 * @param command the command that was executed
	 * @param error error that a builder threw
	 */
	static ParameterException invalid(CommandSpec command, IllegalArgumentException error) {
		String message = (error instanceof InvalidOptionException invalid)
				? invalid.message((name) -> name(command, name)) : String.valueOf(error.getMessage());
		return new ParameterException(command.commandLine(), message, error);
	}

	/**
	 * Refuses options that have no effect.
	 * @param message the error message, in which {@code %1$s} represents the option
	 * @param options option names, each followed by its value, {@code null} if it is not
	 * set
	 * @throws IllegalArgumentException if one of the options is set
	 */
	static void refuse(String message, @Nullable Object... options) {
		for (int i = 0; i < options.length; i += 2) {
			if (options[i + 1] != null) {
				throw new IllegalArgumentException(message.formatted(options[i]));
			}
		}
	}

	private static String name(CommandSpec command, String option) {
		String name = "--" + option.replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT);
		return (command.findOption(name) != null) ? name : "'" + option + "'";
	}

}
