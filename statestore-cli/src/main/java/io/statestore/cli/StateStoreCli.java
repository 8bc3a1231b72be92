package io.statestore.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of the program {@code statestore}. */
@Command(name = "statestore", mixinStandardHelpOptions = true, versionProvider = ManifestVersion.class,
		synopsisSubcommandLabel = "COMMAND", subcommandsRepeatable = false,
		description = "Reads, writes, and watches a state store. 'statestore COMMAND --help' describes a command.",
		footerHeading = "%nEnvironment:%n",
		footer = { "  STATESTORE_URL, or STATESTORE_HOST and STATESTORE_PORT, name the server.",
				"  STATESTORE_USERNAME, STATESTORE_PASSWORD, STATESTORE_TOKEN_FILE,",
				"  STATESTORE_CA, STATESTORE_CERT, STATESTORE_KEY, and STATESTORE_AS provide",
				"  the defaults of options. If no server is named, the AIO_* variables of",
				"  Azure IoT Operations apply." })
public final class StateStoreCli implements Runnable, Environment.Holder {

	/** Earlier spellings of commands, with the present ones. */
	private static final Map<String, String> RENAMED = Map.of("vdel", "del <key> --if-equal <value>", "leader yield",
			"leader resign", "cluster transfer", "cluster transfer-leadership");

	private final Environment environment;

	private final CommandLine commandLine;

	private StateStoreCli(Environment environment, String... arguments) {
		this.environment = environment;
		this.commandLine = new CommandLine(this);
		commands().forEach((name, command) -> {
			// Creating every command would delay the start.
			if (arguments.length == 0 || !commands().containsKey(arguments[0]) || arguments[0].equals(name)) {
				this.commandLine.addSubcommand(name, command.get());
			}
		});
		describe(this.commandLine);

		this.commandLine.setCaseInsensitiveEnumValuesAllowed(true)
			// Values and arguments of programs may start with an at sign.
			.setExpandAtFiles(false)
			.setOut(new PrintWriter(environment.out(), true))
			.setErr(new PrintWriter(environment.err(), true))
			.setParameterExceptionHandler(StateStoreCli::explain)
			.setExecutionExceptionHandler(handler());
	}

	/** Returns the commands by their names. */
	private static Map<String, Supplier<Object>> commands() {
		Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
		commands.put("get", GetCommand::new);
		commands.put("set", SetCommand::new);
		commands.put("del", DelCommand::new);
		commands.put("scan", ScanCommand::new);
		commands.put("watch", WatchCommand::new);
		commands.put("lock", LockCommand::new);
		commands.put("locks", LocksCommand::new);
		commands.put("leader", LeaderCommand::new);
		commands.put("backup", BackupCommand::new);
		commands.put("sessions", SessionsCommand::new);
		commands.put("cluster", ClusterCommand::new);
		commands.put("history", HistoryCommand::new);
		commands.put("info", InfoCommand::new);
		commands.put("bench", BenchCommand::new);
		commands.put("completion", CompletionCommand::new);
		return commands;
	}

	/**
	 * Runs a command until it has finished or the process is stopped, and exits.
	 * @param arguments arguments of the command line
	 */
	public static void main(String[] arguments) {
		int exitCode = execute(Environment.ofProcess(), arguments);
		// Threads of the client may still run.
		System.exit(exitCode);
	}

	/**
	 * Runs a command, and returns its exit code, {@link ExitCodes#FAILED} if its results
	 * could not be written.
	 */
	static int execute(Environment environment, String... arguments) {
		int exitCode = new StateStoreCli(environment, arguments).commandLine.execute(arguments);
		// Flushes the output. A PrintStream reports errors in no other way.
		if (environment.out().checkError() && exitCode == ExitCodes.OK) {
			environment.err().println("Writing to standard output failed; the results are incomplete");
			exitCode = ExitCodes.FAILED;
		}
		environment.err().flush();
		return exitCode;
	}

	/** Returns the command line with all commands. */
	static CommandLine commandLine(Environment environment) {
		return new StateStoreCli(environment).commandLine;
	}

	private static void describe(CommandLine command) {
		command.getCommandSpec()
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
		err.println("Try '" + commandLine.getCommandSpec().qualifiedName() + " --help'.");
		return ExitCodes.USAGE;
	}

	private static IExecutionExceptionHandler handler() {
		return (failure, commandLine, parsed) -> {
			int exitCode = Failures.exitCode(failure);
			if (exitCode == ExitCodes.USAGE) {
				return explain(new ParameterException(commandLine, Failures.message(failure), failure), new String[0]);
			}
			commandLine.getErr().println(Texts.printable(Failures.message(failure)));
			return exitCode;
		};
	}

	@Override
	public Environment environment() {
		return this.environment;
	}

	/** Reports that no command was given. */
	@Override
	public void run() {
		throw new ParameterException(this.commandLine,
				"A command is missing; use one of " + String.join(", ", commands().keySet()));
	}

}
