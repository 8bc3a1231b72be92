package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Path;

import io.statestore.cluster.NodeBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that backs up a cluster node's data. */
@Command(name = "backup",
		description = "Saves the data of a stopped cluster node. Use it if a cluster has lost the data of a majority "
				+ "of its nodes. While a cluster or a single broker is running, use 'statestore backup' instead.",
		exitCodeList = { "1:the backup failed", "2:invalid option" })
final class BackupCommand extends StoreCommand {

	@Option(names = "--to", paramLabel = "<file>", required = true, description = "File to create")
	@SuppressWarnings("NullAway.Init")
	private Path to;

	@Override
	int run(Path directory) throws IOException {
		long keys = NodeBackup.run(directory, absolute(this.to));
		output().println(keys + " keys of the node saved to " + absolute(this.to)
				+ ". Restore them into the nodes of a new cluster with 'restore --new-cluster', or into a single store "
				+ "with 'restore'");
		return 0;
	}

}
