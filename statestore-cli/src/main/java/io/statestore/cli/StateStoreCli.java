package io.statestore.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import io.statestore.client.FencingToken;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of the {@code statestore} program. */
@Command(name = "statestore", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
		subcommandsRepeatable = false,
		description = "Reads, writes, and watches a state store. 'statestore COMMAND --help' describes a command.",
		footerHeading = "%nEnvironment:%n",
		footer = { "  STATESTORE_URL, or STATESTORE_HOST and STATESTORE_PORT, name the server.",
				"  STATESTORE_USERNAME, STATESTORE_PASSWORD, STATESTORE_TOKEN_FILE,",
				"  STATESTORE_CA, STATESTORE_CERT, STATESTORE_KEY, and STATESTORE_AS set",
				"  the defaults of options. If no server is named, the AIO_* variables of",
				"  Azure IoT Operations apply." })
public final class StateStoreCli {

	private static final List<String> COMMANDS = List.of("get", "set", "del", "ttl", "scan", "watch", "export",
			"import", "lock", "locks", "leader", "backup", "clients", "sessions", "cluster", "history", "info", "bench",
			"completion");

	/** Current spellings of renamed commands, by earlier spelling. */
	private static final Map<String, String> RENAMED = Map.of("vdel", "del <key> --if-equal <value>", "leader yield",
			"leader resign", "cluster transfer", "cluster transfer-leadership");

	private StateStoreCli() {
	}

	/** Returns the command line with the given command, or with all commands. */
	static CommandLine commandLine(Environment environment, String... arguments) {
		CommandLine commandLine = new CommandLine(new StateStoreCli());
		environment.addTo(commandLine.getCommandSpec());
		// Reading every command would slow down startup.
		boolean known = arguments.length > 0 && COMMANDS.contains(arguments[0]);
		(known ? List.of(arguments[0]) : COMMANDS).forEach((name) -> commandLine.addSubcommand(name, command(name)));
		describe(commandLine);
		return commandLine.registerConverter(Duration.class, Converters::duration)
			.registerConverter(long.class, Converters::positive)
			.registerConverter(FencingToken.class, Converters::token)
			.registerConverter(Ansi.class, Converters::colors)
			.setCaseInsensitiveEnumValuesAllowed(true)
			// Values and program arguments may start with an at sign.
			.setExpandAtFiles(false)
			.setOut(new PrintWriter(environment.out(), true))
			.setErr(new PrintWriter(environment.err(), true))
			.setParameterExceptionHandler(StateStoreCli::explain)
			.setExecutionExceptionHandler(StateStoreCli::report);
	}

	/**
	 * Returns a command's class. Loading the classes of all commands would take longer.
	 */
	private static Class<?> command(String name) {
		String title = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
		try {
			return Class.forName(StateStoreCli.class.getPackageName() + '.' + title + "Command");
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Runs a command until it finishes or the process is stopped, then exits.
	 * @param arguments command-line arguments
	 */
	public static void main(String[] arguments) {
		// Short commands need neither of these features, both of which load many classes.
		System.setProperty("io.netty.jfr.enabled", "false");
		System.setProperty("io.netty.allocator.type", "unpooled");
		Session.loadClasses(arguments);
		int exitCode = execute(Environment.ofProcess(), arguments);
		// The client's threads may still be running.
		System.exit(exitCode);
	}

	/**
	 * Runs a command. Returns its exit code, or {@link ExitCodes#FAILED} if its results
	 * could not be written.
	 */
	static int execute(Environment environment, String... arguments) {
		int exitCode = commandLine(environment, arguments).execute(arguments);
		// Flushes the output. PrintStream reports errors only this way.
		if (environment.out().checkError() && exitCode == ExitCodes.OK) {
			environment.err().println("Writing to standard output failed; the results are incomplete");
			exitCode = ExitCodes.FAILED;
		}
		environment.err().flush();
		return exitCode;
	}

	private static void describe(CommandLine command) {
		String version = StateStoreCli.class.getPackage().getImplementationVersion();
		command.getCommandSpec()
			.version("statestore " + ((version != null) ? version : "(version unknown)"))
			.usageMessage()
			.sortOptions(false)
			.abbreviateSynopsis(true)
			.autoWidth(true)
			.exitCodeListHeading("%nExit codes:%n")
			.exitCodeList(ExitCodes.descriptions());
		command.getSubcommands().values().forEach(StateStoreCli::describe);
	}

	private static int explain(ParameterException failure, String[] arguments) {
		CommandLine commandLine = failure.getCommandLine();
		PrintWriter err = commandLine.getErr();
		err.println(failure.getMessage());
		RENAMED.forEach((earlier, present) -> {
			if ((String.join(" ", arguments) + ' ').startsWith(earlier + ' ')) {
				err.println("'" + earlier + "' is now '" + present + "'");
			}
		});
		UnmatchedArgumentException.printSuggestions(failure, err);
		if (!(commandLine.getCommand() instanceof Callable)) {
			err.println("Use one of " + String.join(", ", commandLine.getSubcommands().keySet()) + '.');
		}
		err.println("Try '" + commandLine.getCommandSpec().qualifiedName() + " --help'.");
		return ExitCodes.USAGE;
	}

	private static int report(Exception failure, CommandLine commandLine, ParseResult parsed) {
		int exitCode = Failures.exitCode(failure);
		if (exitCode == ExitCodes.USAGE) {
			return explain(new ParameterException(commandLine, Failures.message(failure), failure), new String[0]);
		}
		commandLine.getErr().println(Texts.printable(Failures.message(failure)));
		return exitCode;
	}

}
