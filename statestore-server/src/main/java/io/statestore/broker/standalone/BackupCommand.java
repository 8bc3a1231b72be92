package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;

import io.statestore.broker.log.BackupReport;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.cluster.NodeBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that copies a store into a file. */
@Command(name = "backup", mixinStandardHelpOptions = true, sortOptions = false, usageHelpAutoWidth = true,
		versionProvider = StandaloneVersion.class,
		description = "Copies a store to a file, even while the store is in use. Includes every write acknowledged "
				+ "before the start of the command, but no MQTT sessions. For a node of a cluster: any node that runs, "
				+ "as the user of its process. Of one that does not run, only its latest snapshot.",
		exitCodeListHeading = "%nExit codes:%n", exitCodeList = { "1:the backup failed", "2:invalid option" })
final class BackupCommand extends StoreCommand {

	@Option(names = "--to", paramLabel = "<file>", required = true,
			description = "ZIP file to create. It must not exist")
	@SuppressWarnings("NullAway.Init")
	private Path to;

	private BackupCommand() {
		super(1);
	}

	@Override
	int run(Path directory, PrintWriter output) throws IOException {
		if (NodeBackup.isNode(directory)) {
			print(NodeBackup.run(directory, absolute(this.to)), output);
			return 0;
		}
		BackupReport report = StoreDirectory.backup(directory, absolute(this.to));
		output.println("Backup of store " + report.storeId() + " up to entry " + report.lastIndex() + " written to "
				+ report.file() + " (" + report.bytes() + " bytes)");
		return 0;
	}

	private static void print(NodeBackup.Result result, PrintWriter output) {
		BackupReport report = result.report();
		output.println("Backup of node " + result.node() + " with " + result.keys() + " keys, as of "
				+ result.time().truncatedTo(ChronoUnit.SECONDS) + ", written to " + report.file() + " ("
				+ report.bytes() + " bytes)");
		switch (result.content()) {
			case ACKNOWLEDGED ->
				output.println("It contains every write that the cluster acknowledged before the command started");
			case APPLIED -> output.println("The node knows no leader. The backup lacks writes that other nodes have "
					+ "acknowledged since. If the cluster has a leader, use another node");
			case LATEST_SNAPSHOT -> output.println("The node does not run. The backup lacks all writes since its "
					+ "latest snapshot. For the current state, start the node, and repeat the command");
		}
	}

}
