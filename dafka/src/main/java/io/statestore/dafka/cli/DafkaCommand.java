package io.statestore.dafka.cli;

import java.io.PrintWriter;
import java.util.Map;

import io.statestore.dafka.DafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import picocli.CommandLine;

/** Entry point of the program {@code dafka tower|store|produce|consume|keys}. */
@Command(name = "dafka", mixinStandardHelpOptions = true, versionProvider = ManifestVersion.class,
		description = "Streaming with Dafka 1.0, without a broker. Nodes find each other through a tower.",
		subcommands = { TowerCommand.class, StoreCommand.class, ProduceCommand.class, ConsumeCommand.class,
				KeysCommand.class },
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:success", "1:failure, such as a port in use or missing acknowledgments", "2:invalid option",
				"3:all announced records were read, but a store does not report whether there are more" })
final class DafkaCommand {

	private static final String LOGGING = "logback.configurationFile";

	/** Options of the command line, by their names in messages. */
	private static final Map<String, String> OPTIONS = Map.of("bindHost", "--bind", "bindPort", "--port", "inPort",
			"--port", "outPort", "--pub-port", "skipTimeout", "--skip-timeout", "curve.keyFile", "--curve-key",
			"curve.peersFile", "--curve-peers", "curve.towers", "--curve-tower");

	private DafkaCommand() {
	}

	/**
	 * Runs a command until it has finished or the process is stopped, and exits.
	 * @param arguments arguments of the command line
	 */
	public static void main(String[] arguments) {
		if (System.getProperty(LOGGING) == null) {
			System.setProperty(LOGGING, "io/statestore/dafka/cli/logback.xml");
		}
		System.exit(commandLine().execute(arguments));
	}

	static CommandLine commandLine() {
		return new CommandLine(new DafkaCommand()).setCaseInsensitiveEnumValuesAllowed(true)
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
			return (failure instanceof DafkaException) ? ExitCodes.FAILED : ExitCode.USAGE;
		}
		throw failure;
	}

	/** Replaces names of the API with those of options of the command line. */
	private static String withOptions(String message) {
		String result = message;
		for (Map.Entry<String, String> name : OPTIONS.entrySet()) {
			result = result.replace('\'' + name.getKey() + '\'', name.getValue());
		}
		return result;
	}

}
