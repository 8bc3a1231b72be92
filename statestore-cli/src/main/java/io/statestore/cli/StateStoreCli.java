package io.statestore.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParameterException;
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
public final class StateStoreCli implements Runnable, Environment.Holder {

	private static final List<String> COMMANDS = List.of("get", "set", "del", "ttl", "scan", "watch", "export",
			"import", "lock", "locks", "leader", "backup", "clients", "sessions", "cluster", "history", "info", "bench",
			"completion");

	/** Current spellings of renamed commands, by earlier spelling. */
	private static final Map<String, String> RENAMED = Map.of("vdel", "del <key> --if-equal <value>", "leader yield",
			"leader resign", "cluster transfer", "cluster transfer-leadership");

	private final Environment environment;

	private final CommandLine commandLine;

	private StateStoreCli(Environment environment, String... arguments) {
		this.environment = environment;
		this.commandLine = new CommandLine(this);
		// Creating every command would slow down startup.
		boolean known = arguments.length > 0 && COMMANDS.contains(arguments[0]);
		for (String name : known ? List.of(arguments[0]) : COMMANDS) {
			this.commandLine.addSubcommand(name, command(name));
		}
		describe(this.commandLine);

		this.commandLine.registerConverter(Duration.class, Converters::duration)
			.setCaseInsensitiveEnumValuesAllowed(true)
			// Values and program arguments may start with an at sign.
			.setExpandAtFiles(false)
			.setOut(new PrintWriter(environment.out(), true))
			.setErr(new PrintWriter(environment.err(), true))
			.setParameterExceptionHandler(StateStoreCli::explain)
			.setExecutionExceptionHandler(handler());
	}

	/** Creates a command. A map of constructors would slow down startup. */
	private Object command(String name) {
		return switch (name) {
			case "get" -> new GetCommand();
			case "set" -> new SetCommand();
			case "del" -> new DelCommand();
			case "ttl" -> new TtlCommand();
			case "scan" -> new ScanCommand();
			case "watch" -> new WatchCommand();
			case "export" -> new ExportCommand();
			case "import" -> new ImportCommand();
			case "lock" -> new LockCommand();
			case "locks" -> new LocksCommand();
			case "leader" -> new LeaderCommand();
			case "backup" -> new BackupCommand();
			case "clients" -> new ClientsCommand();
			case "sessions" -> new SessionsCommand();
			case "cluster" -> new ClusterCommand();
			case "history" -> new HistoryCommand();
			case "info" -> new InfoCommand();
			case "bench" -> new BenchCommand();
			default -> new CompletionCommand(this.environment);
		};
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
		int exitCode = new StateStoreCli(environment, arguments).commandLine.execute(arguments);
		// Flushes the output. PrintStream reports errors only this way.
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
				"A command is missing; use one of " + String.join(", ", COMMANDS));
	}

}
