package io.statestore.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command {@code statestore cluster}: groups the commands for a cluster of brokers. */
@Command(name = "cluster", mixinStandardHelpOptions = true, versionProvider = ManifestVersion.class,
		synopsisSubcommandLabel = "COMMAND",
		subcommands = { ClusterStatusCommand.class, ClusterAddCommand.class, ClusterRemoveCommand.class,
				ClusterReplaceCommand.class, ClusterTransferCommand.class },
		description = "Shows and changes the nodes of a cluster. A node is named by its name, its address, or its "
				+ "address with its number, as 'cluster status' shows them.")
final class ClusterCommand implements Runnable {

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	/** Reports that no command was given. */
	@Override
	public void run() {
		throw new ParameterException(this.spec.commandLine(),
				"A command is missing; use one of " + String.join(", ", this.spec.subcommands().keySet()));
	}

}
