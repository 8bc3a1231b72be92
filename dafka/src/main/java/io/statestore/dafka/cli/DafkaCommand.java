package io.statestore.dafka.cli;

import java.io.PrintWriter;
import java.util.Map;

import io.statestore.dafka.DafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;
import picocli.CommandLine;

/**
 * Entry point of the {@code dafka} program, with the subcommands {@code tower},
 * {@code store}, {@code produce}, {@code consume}, and {@code keys}.
 */
@Command(name = "dafka", mixinStandardHelpOptions = true, sortOptions = false, scope = ScopeType.INHERIT,
		versionProvider = DafkaCommand.class,
		description = "Streaming with Dafka 1.0, which needs no broker. Nodes find each other through a tower.",
		subcommands = { TowerCommand.class, StoreCommand.class, ProduceCommand.class, ConsumeCommand.class,
				KeysCommand.class },
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:success", "1:failure, such as a port in use or missing acknowledgments", "2:invalid option",
				"3:all announced records were read, but a store does not report whether there are more" })
final class DafkaCommand implements IVersionProvider {

	private static final String LOGGING = "logback.configurationFile";

	/** Command-line options, by the option names in the API's messages. */
	private static final Map<String, String> OPTIONS = Map.ofEntries(Map.entry("bindHost", "--bind"),
			Map.entry("bindPort", "--port"), Map.entry("inPort", "--port"), Map.entry("outPort", "--pub-port"),
			Map.entry("advertisedHost", "--advertised-host"), Map.entry("topic", "--topic"),
			Map.entry("skipTimeout", "--skip-timeout"), Map.entry("curve.keyFile", "--curve-key"),
			Map.entry("curve.peersFile", "--curve-peers"), Map.entry("curve.towers", "--curve-tower"));

	private DafkaCommand() {
	}

	/**
	 * Runs a command until it finishes or the process is stopped, then exits.
	 * @param arguments command-line arguments
	 */
	public static void main(String[] arguments) {
		if (System.getProperty(LOGGING) == null) {
			System.setProperty(LOGGING, "io/statestore/dafka/cli/logback.xml");
		}
		System.exit(commandLine().execute(arguments));
	}

	/** Returns the version stated in the manifest. */
	@Override
	public String[] getVersion() {
		String version = DafkaCommand.class.getPackage().getImplementationVersion();
		return new String[] { "dafka " + ((version != null) ? version : "(version unknown)") };
	}

	static CommandLine commandLine() {
		return Converters.addTo(new CommandLine(new DafkaCommand()))
			.setCaseInsensitiveEnumValuesAllowed(true)
			.setUsageHelpAutoWidth(true)
			.setParameterExceptionHandler(DafkaCommand::explain)
			.setExecutionExceptionHandler((failure, commandLine, parsed) -> explain(failure, commandLine));
	}

	private static int explain(ParameterException failure, String[] arguments) {
		CommandLine commandLine = failure.getCommandLine();
		PrintWriter err = commandLine.getErr();
		err.println(failure.getMessage());
		UnmatchedArgumentException.printSuggestions(failure, err);
		err.println("Try '" + commandLine.getCommandSpec().qualifiedName() + " --help'.");
		return ExitCode.USAGE;
	}

	private static int explain(Exception failure, CommandLine commandLine) throws Exception {
		if (failure instanceof DafkaException || failure instanceof IllegalArgumentException) {
			commandLine.getErr().println(withOptions(String.valueOf(failure.getMessage())));
			return (failure instanceof DafkaException) ? Messages.FAILED : ExitCode.USAGE;
		}
		throw failure;
	}

	/** Replaces the API's option names with command-line options. */
	private static String withOptions(String message) {
		String result = message;
		for (Map.Entry<String, String> name : OPTIONS.entrySet()) {
			result = result.replace('\'' + name.getKey() + '\'', name.getValue());
		}
		return result;
	}

}
