package io.statestore.broker.standalone;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Conversion of errors of a builder to errors of the command line. */
final class OptionErrors {

	private static final Pattern NAME = Pattern.compile("'(\\w+)'");

	private OptionErrors() {
	}

	/**
	 * Returns an error in which names of options, such as {@code 'maxKeys'}, have the
	 * form of the command line, such as {@code --max-keys}.
	 * @param command the command that was executed
	 * @param error error of the builder
	 */
	static ParameterException of(CommandSpec command, IllegalArgumentException error) {
		Matcher names = NAME.matcher(String.valueOf(error.getMessage()));
		return new ParameterException(command.commandLine(), names.replaceAll((name) -> {
			String option = "--" + name.group(1).replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT);
			return (command.findOption(option) != null) ? option : Matcher.quoteReplacement(name.group());
		}), error);
	}

}
