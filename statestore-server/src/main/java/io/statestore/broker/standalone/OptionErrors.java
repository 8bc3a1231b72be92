package io.statestore.broker.standalone;

import java.util.Locale;

import io.statestore.broker.memory.InvalidOptionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Conversion of errors of a builder to errors of the command line. */
final class OptionErrors {

	private OptionErrors() {
	}

	/**
	 * Returns an error in which names of options, such as {@code 'maxKeys'}, have the
	 * form of the command line, such as {@code --max-keys}.
	 * @param command the command that was executed
	 * @param error error of the builder
	 */
	static ParameterException of(CommandSpec command, IllegalArgumentException error) {
		String message = (error instanceof InvalidOptionException invalid)
				? invalid.message((name) -> name(command, name)) : String.valueOf(error.getMessage());
		return new ParameterException(command.commandLine(), message, error);
	}

	private static String name(CommandSpec command, String option) {
		String name = "--" + option.replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT);
		return (command.findOption(name) != null) ? name : "'" + option + "'";
	}

}
